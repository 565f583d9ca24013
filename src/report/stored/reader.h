/*
 * reader.h -- the state of reading JSON: the place in the file, for error messages, and the memory
 * of the structs.
 */
#ifndef CRD_REPORT_STORED_READER_H
#define CRD_REPORT_STORED_READER_H

#include "base/context.h"

#include <jansson.h>

typedef struct {
  crd_context *ctx;
  const void *owner; /* the stored object, whose arena has all memory (base/arena.h) */
  char place[256];   /* "methods[3].profile", truncated if longer */
  size_t length;
} crd__report_reader;

/* Parses the bytes of a file; *out is NULL, with CRD_OK, if they do not begin like an object. It
 * lives as long as the owner. */
crd_status crd__report_json_parse(crd__report_reader *reader, const char *bytes, size_t length,
                                  json_t **out);
/* Fails with EINPUT if the file is of another version; files without kind and version are of 0.1.
 */
crd_status crd__report_version_check(crd__report_reader *reader, const json_t *root);

/* Allocates zeroed memory that lives as long as the stored result. */
crd_status crd__report_reader_alloc(crd__report_reader *reader, size_t count, size_t size,
                                    void *out);

/* Append a key or an index to the place and return its old length, with which `leave` restores it.
 */
size_t crd__report_enter(crd__report_reader *reader, const char *key);
size_t crd__report_enter_item(crd__report_reader *reader, size_t index);
void crd__report_leave(crd__report_reader *reader, size_t back);

/* Fails with EINPUT: "PLACE: found 'x', allowed is ..."; `found` NULL: "nothing". */
crd_status crd__report_reader_invalid(crd__report_reader *reader, const json_t *found,
                                      const char *allowed);
/* Fails with EINPUT and another message: "PLACE: ...". */
crd_status crd__report_reader_fail(crd__report_reader *reader, const char *format, ...)
    CRD_PRINTF(2, 3);

/* Gets a member; fails with EINPUT unless it is an array. */
crd_status crd__report_array_get(crd__report_reader *reader, const json_t *object, const char *key,
                                 const json_t **out);

#endif

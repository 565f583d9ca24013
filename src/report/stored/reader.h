/*
 * reader.h -- the place in a file of JSON that is being read, for sentences, and the memory of what
 * is read.
 */
#ifndef CRD_REPORT_STORED_READER_H
#define CRD_REPORT_STORED_READER_H

#include "base/context.h"

#include <jansson.h>

typedef struct crd__report_kept crd__report_kept; /* a piece of memory, and the next */

typedef struct {
  crd_context *ctx;
  crd__report_kept *kept;
  char place[256]; /* "methods[3].profile", cut where it is longer */
  size_t length;
} crd__report_reader;

/* Zeroed memory that lives as long as what is read. */
crd_status crd__report_keep(crd__report_reader *reader, size_t count, size_t size, void *out);
void crd__report_kept_free(const crd_allocator *alloc, crd__report_kept *kept);

/* The place goes one step in, and back again to what `enter` returned. */
size_t crd__report_enter(crd__report_reader *reader, const char *key);
size_t crd__report_enter_item(crd__report_reader *reader, size_t index);
void crd__report_leave(crd__report_reader *reader, size_t back);

/* EINPUT: "PLACE: found 'x', allowed is ..."; NULL is nothing. */
crd_status crd__report_refuse(crd__report_reader *reader, const json_t *found, const char *allowed);
/* EINPUT in other words: "PLACE: ...". */
crd_status crd__report_complain(crd__report_reader *reader, const char *format, ...)
    CRD_PRINTF(2, 3);

/* A member that must be an array. */
crd_status crd__report_array_get(crd__report_reader *reader, const json_t *object, const char *key,
                                 const json_t **out);

#endif

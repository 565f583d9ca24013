/*
 * reader.h -- the place in a file of JSON that is being read, for sentences, and the memory of what
 * is read.
 */
#ifndef CRD_REPORT_STORED_READER_H
#define CRD_REPORT_STORED_READER_H

#include "base/context.h"

#include <jansson.h>

typedef struct crd__kept crd__kept; /* a piece of memory, and the next */

typedef struct {
  crd_context *ctx;
  crd__kept *kept;
  char place[256]; /* "methods[3].profile", cut where it is longer */
  size_t length;
} crd__reader;

/* Zeroed memory that lives as long as what is read. */
crd_status crd__keep(crd__reader *reader, size_t count, size_t size, void *out);
void crd__kept_free(const crd_allocator *alloc, crd__kept *kept);

/* The place goes one step in, and back again to what `enter` returned. */
size_t crd__enter(crd__reader *reader, const char *key);
size_t crd__enter_item(crd__reader *reader, size_t index);
void crd__leave(crd__reader *reader, size_t back);

/* EINPUT: "PLACE: found 'x', allowed is ..."; NULL is nothing. */
crd_status crd__refuse(crd__reader *reader, const json_t *found, const char *allowed);
/* EINPUT in other words: "PLACE: ...". */
crd_status crd__complain(crd__reader *reader, const char *format, ...) CRD_PRINTF(2, 3);

/* A member that must be an array. */
crd_status crd__array_get(crd__reader *reader, const json_t *object, const char *key,
                          const json_t **out);

#endif

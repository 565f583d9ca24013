/* text.h -- growing strings. A failed append is remembered: check crd__text_status at the end. */
#ifndef CRD_BASE_TEXT_H
#define CRD_BASE_TEXT_H

#include "base/context.h"

typedef struct {
  const crd_allocator *alloc;
  char *bytes; /* NUL-terminated; NULL until something is appended */
  size_t length, capacity;
  bool failed;
} crd__text;

void crd__text_init(crd__text *text, const crd_allocator *alloc);
void crd__text_clear(crd__text *text);
/* Allocates memory for `count` more bytes, and no more, of a text whose length is known. */
void crd__text_reserve(crd__text *text, size_t count);
void crd__text_add(crd__text *text, const char *string);
void crd__text_add_bytes(crd__text *text, const char *bytes, size_t count);
void crd__text_add_number(crd__text *text, double value);
/* Appends formatted text. %f, %e and %g are not allowed: they depend on the locale. */
void crd__text_addf(crd__text *text, const char *format, ...) CRD_PRINTF(2, 3);
/* Appends a CSV field, quoted if necessary. Leading and trailing blanks are quoted too, since
 * readers differ in whether they belong to the field. */
void crd__text_add_field(crd__text *text, const char *field);
/* Returns CRD_OK, or CRD_ENOMEM if any append failed. */
crd_status crd__text_status(crd_context *ctx, const crd__text *text);
/* Sets *out to an array of the text's `count` NUL-terminated strings, as one block of memory that
 * the caller frees. */
crd_status crd__text_strings(crd_context *ctx, const crd__text *text, size_t count, char ***out);

/* Notes for the user, owned by an object. */
typedef struct {
  char **items;
  size_t count;
} crd__notes;

crd_status crd__notes_add(crd_context *ctx, const crd_allocator *alloc, crd__notes *notes,
                          const char *format, ...) CRD_PRINTF(4, 5);
void crd__notes_clear(const crd_allocator *alloc, crd__notes *notes);

#endif

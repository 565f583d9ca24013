/* text.h -- a growing string. A failed append is remembered; ask once, at the end. */
#ifndef CRD_BASE_TEXT_H
#define CRD_BASE_TEXT_H

#include "base/context.h"

typedef struct {
  const crd_allocator *alloc;
  char *bytes; /* NUL-terminated once something was appended; else NULL */
  size_t length, capacity;
  bool failed;
} crd__text;

void crd__text_init(crd__text *text, const crd_allocator *alloc);
void crd__text_clear(crd__text *text);
void crd__text_add(crd__text *text, const char *string);
void crd__text_add_bytes(crd__text *text, const char *bytes, size_t count);
void crd__text_add_number(crd__text *text, double value);
/* No %f, %e, %g here: they follow the locale. */
void crd__text_addf(crd__text *text, const char *format, ...) CRD_PRINTF(2, 3);
/* A field of CSV: in quotes where it needs them, quotes inside doubled. Blanks at its ends are
 * quoted too, since readers differ in whether they belong to the field. */
void crd__text_add_field(crd__text *text, const char *field);
/* OK, or ENOMEM when any append failed. */
crd_status crd__text_status(crd_context *ctx, const crd__text *text);
/* `count` strings that lie in the text one behind the other, each with its zero, as an array: one
 * block of memory, to be freed. */
crd_status crd__text_strings(crd_context *ctx, const crd__text *text, size_t count, char ***out);

/* A list of sentences that an object owns: what was noticed on the way. */
typedef struct {
  char **items;
  size_t count;
} crd__notes;

crd_status crd__notes_add(crd_context *ctx, const crd_allocator *alloc, crd__notes *notes,
                          const char *format, ...) CRD_PRINTF(4, 5);
void crd__notes_clear(const crd_allocator *alloc, crd__notes *notes);

#endif

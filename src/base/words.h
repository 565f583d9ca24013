/* words.h -- number words in the order in which they first appear. */
#ifndef CRD_BASE_WORDS_H
#define CRD_BASE_WORDS_H

#include "base/context.h"

typedef struct {
  const char *text; /* borrowed, not terminated */
  size_t length;
} crd__word;

/* All zero is an empty one. */
typedef struct {
  crd__word *items;
  size_t count, capacity;
  size_t *slots; /* hash table of numbers + 1; 0: free; twice `capacity` */
} crd__words;

crd_status crd__words_add(crd_context *ctx, crd__words *words, const char *text, size_t length,
                          size_t *number);
/* False when the word was not added. */
bool crd__words_find(const crd__words *words, const char *text, size_t length, size_t *number);
/* Quotes that a quoted field had to double are one again; `out` has room for the word. Returns the
 * length. */
size_t crd__word_copy(const crd__word *word, char *out);
/* The words as strings by number: one block of memory, to be freed. */
crd_status crd__words_copy(crd_context *ctx, const crd__words *words, char ***out);
void crd__words_clear(const crd_allocator *alloc, crd__words *words);

#endif

/* words.h -- assign indices to words, in the order of their first appearance. */
#ifndef CRD_BASE_WORDS_H
#define CRD_BASE_WORDS_H

#include "base/context.h"

typedef struct {
  const char *text; /* borrowed, not NUL-terminated */
  size_t length;
} crd__word;

/* All zero is an empty set. */
typedef struct {
  crd__word *items;
  size_t count, capacity;
  size_t *slots; /* hash table of indices + 1, 0: free; length 2 * capacity */
} crd__words;

/* Adds a word if it is new, and sets *number to its index. */
crd_status crd__words_add(crd_context *ctx, crd__words *words, const char *text, size_t length,
                          size_t *number);
/* Sets *number to the index of a word; false if it was not added. */
bool crd__words_find(const crd__words *words, const char *text, size_t length, size_t *number);
/* Copies a word, with doubled quotes of a quoted field undoubled, to `out`, which is at least as
 * long. Returns the length. */
size_t crd__word_copy(const crd__word *word, char *out);
/* Sets *out to the words as strings, in one block of memory that the caller frees. */
crd_status crd__words_copy(crd_context *ctx, const crd__words *words, char ***out);
void crd__words_clear(const crd_allocator *alloc, crd__words *words);

#endif

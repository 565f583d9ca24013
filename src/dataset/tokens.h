/*
 * tokens.h -- cuts texts into words, and words into a vocabulary.
 *
 * A word is a run of letters and digits. ASCII letters are made lower-case; all other characters of
 * UTF-8 count as letters, but for the signs and spaces of U+0080 .. U+00BF and U+2000 .. U+206F
 * (dashes, quotation marks). An apostrophe between letters is left out: don't is dont. Of a longer
 * word the first CRD__WORD_BYTES bytes count.
 */
#ifndef CRD_DATASET_TOKENS_H
#define CRD_DATASET_TOKENS_H

#include "base/context.h"
#include "dataset/kind.h"

enum { CRD__WORD_BYTES = 63 };
enum { CRD__TOKEN_PAD, CRD__TOKEN_UNKNOWN, CRD__TOKENS_SPECIAL };

typedef struct {
  const unsigned char *at, *end;
  char word[CRD__WORD_BYTES + 1];
} crd__dataset_words;

/* Begins with a text, which is borrowed. */
crd__dataset_words crd__dataset_words_of(crd__dataset_text text);
/* Sets `word` to the next one; false: there is none. */
bool crd__dataset_words_next(crd__dataset_words *words);

/* Counts the words of texts, and finds the most frequent ones. All zero is an empty count. */
typedef struct {
  crd__dataset_names names;
  uint64_t *counts;
  size_t capacity;
} crd__dataset_counts;

crd_status crd__dataset_counts_add(crd_context *ctx, crd__dataset_counts *counts,
                                   crd__dataset_text text);
/* Sets *out to the `most` most frequent words or fewer, the most frequent one first, equally
 * frequent ones by their bytes: borrowed from the counts, the array is the caller's. */
crd_status crd__dataset_counts_best(crd_context *ctx, const crd__dataset_counts *counts,
                                    size_t most, char ***out, size_t *count);
void crd__dataset_counts_clear(const crd_allocator *alloc, crd__dataset_counts *counts);

#endif

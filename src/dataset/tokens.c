/* tokens.c -- words of texts, and the most frequent ones. */
#include "dataset/tokens.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* ---- Words. */

crd__dataset_words crd__dataset_words_of(crd__dataset_text text) {
  const unsigned char *const bytes = (const unsigned char *)text.bytes;
  return (crd__dataset_words){ .at = bytes, .end = bytes + text.length };
}

/* Returns the bytes of a sign or space beyond ASCII; 0: it is none. */
static size_t sign_length(const unsigned char *at, const unsigned char *end) {
  const size_t left = (size_t)(end - at);
  if (left >= 2 && at[0] == 0xC2) /* all but the letters U+00AA, U+00B5, U+00BA */
    return at[1] == 0xAA || at[1] == 0xB5 || at[1] == 0xBA ? 0 : 2;
  if (left >= 3 && at[0] == 0xE2 && (at[1] == 0x80 || (at[1] == 0x81 && at[2] < 0xB0))) return 3;
  return 0;
}

static bool is_letter(const unsigned char *at, const unsigned char *end) {
  if (at == end) return false;
  if (*at > 127) return sign_length(at, end) == 0;
  return (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || (*at >= '0' && *at <= '9');
}

/* Returns the bytes of an apostrophe, ' or U+2019; 0: it is none. */
static size_t apostrophe_length(const unsigned char *at, const unsigned char *end) {
  if (at < end && *at == '\'') return 1;
  return end - at >= 3 && memcmp(at, "\xE2\x80\x99", 3) == 0 ? 3 : 0;
}

bool crd__dataset_words_next(crd__dataset_words *w) {
  size_t length = 0;
  while (w->at < w->end && !is_letter(w->at, w->end)) {
    const size_t sign = sign_length(w->at, w->end);
    w->at += sign ? sign : 1;
  }
  while (is_letter(w->at, w->end)) {
    const unsigned char byte = *w->at++;
    if (length < CRD__WORD_BYTES)
      w->word[length++] = (char)(byte >= 'A' && byte <= 'Z' ? byte - 'A' + 'a' : byte);
    const size_t skipped = apostrophe_length(w->at, w->end);
    if (skipped && is_letter(w->at + skipped, w->end)) w->at += skipped;
  }
  w->word[length] = '\0';
  return length > 0;
}

/* ---- Counts. */

crd_status crd__dataset_counts_add(crd_context *ctx, crd__dataset_counts *counts,
                                   crd__dataset_text text) {
  crd__dataset_words words = crd__dataset_words_of(text);
  while (crd__dataset_words_next(&words)) {
    int64_t index;
    CRD_TRY(crd__dataset_names_add(ctx, &ctx->alloc, &counts->names, words.word, &index));
    if ((size_t)index >= counts->capacity) {
      const size_t capacity = counts->names.capacity;
      uint64_t *const longer =
          crd__resize(&ctx->alloc, counts->counts, capacity, sizeof *counts->counts);
      if (!longer) return crd__fail(ctx, CRD_ENOMEM, "no memory for %zu words", capacity);
      memset(longer + counts->capacity, 0, (capacity - counts->capacity) * sizeof *longer);
      counts->counts = longer;
      counts->capacity = capacity;
    }
    counts->counts[index]++;
  }
  return CRD_OK;
}

typedef struct {
  uint64_t count;
  char *word;
} counted;

static int by_frequency(const void *left, const void *right) {
  const counted *const a = left, *const b = right;
  if (a->count != b->count) return a->count > b->count ? -1 : 1;
  return strcmp(a->word, b->word);
}

crd_status crd__dataset_counts_best(crd_context *ctx, const crd__dataset_counts *counts,
                                    size_t most, char ***out, size_t *count) {
  const size_t all = counts->names.count;
  counted *sorted;
  *out = NULL;
  *count = all < most ? all : most;
  CRD_TRY(crd__new(ctx, all, sizeof *sorted, "words", &sorted));
  for (size_t i = 0; i < all; i++)
    sorted[i] = (counted){ counts->counts[i], counts->names.names[i] };
  if (all) qsort(sorted, all, sizeof *sorted, by_frequency);
  const crd_status status = crd__new(ctx, *count, sizeof **out, "words", out);
  for (size_t i = 0; status == CRD_OK && i < *count; i++) (*out)[i] = sorted[i].word;
  crd__free(&ctx->alloc, sorted);
  return status;
}

void crd__dataset_counts_clear(const crd_allocator *alloc, crd__dataset_counts *counts) {
  crd__dataset_names_clear(alloc, &counts->names);
  crd__free(alloc, counts->counts);
  *counts = (crd__dataset_counts){ 0 };
}

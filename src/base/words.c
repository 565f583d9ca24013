/* words.c -- hash table from words to indices: open addressing, at most half full. */
#include "base/words.h"

#include "base/memory.h"

#include <string.h>

/* FNV-1a. */
static uint64_t hash(const char *text, size_t length) {
  uint64_t h = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < length; i++) h = (h ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
  return h ^ h >> 32;
}

/* Returns the slot of a word, or the free one where it belongs. */
static size_t *find_slot(const crd__words *words, const char *text, size_t length) {
  const size_t mask = words->capacity * 2 - 1;
  for (size_t i = (size_t)hash(text, length) & mask;; i = (i + 1) & mask) {
    size_t *slot = &words->slots[i];
    if (*slot == 0) return slot;
    const crd__word *word = &words->items[*slot - 1];
    if (word->length == length && memcmp(word->text, text, length) == 0) return slot;
  }
}

static crd_status grow(crd_context *ctx, crd__words *words) {
  const size_t capacity = words->capacity ? words->capacity * 2 : 64;
  size_t *slots;
  CRD_TRY(crd__new(ctx, capacity * 2, sizeof *slots, "names", &slots));
  crd__word *items = crd__resize(&ctx->alloc, words->items, capacity, sizeof *items);
  if (!items) {
    crd__free(&ctx->alloc, slots);
    return crd__fail(ctx, CRD_ENOMEM, "no memory for %zu names", capacity);
  }
  crd__free(&ctx->alloc, words->slots);
  *words = (crd__words){ items, words->count, capacity, slots };
  for (size_t i = 0; i < words->count; i++)
    *find_slot(words, items[i].text, items[i].length) = i + 1;
  return CRD_OK;
}

crd_status crd__words_add(crd_context *ctx, crd__words *words, const char *text, size_t length,
                          size_t *number) {
  if (words->count == words->capacity) CRD_TRY(grow(ctx, words));
  size_t *slot = find_slot(words, text, length);
  if (*slot == 0) {
    words->items[words->count] = (crd__word){ text, length };
    *slot = ++words->count;
  }
  *number = *slot - 1;
  return CRD_OK;
}

bool crd__words_find(const crd__words *words, const char *text, size_t length, size_t *number) {
  const size_t *slot = words->count ? find_slot(words, text, length) : NULL;
  if (!slot || *slot == 0) return false;
  *number = *slot - 1;
  return true;
}

size_t crd__word_copy(const crd__word *word, char *out) {
  size_t length = 0;
  for (size_t i = 0; i < word->length; i++) {
    out[length++] = word->text[i];
    i += word->text[i] == '"' && i + 1 < word->length && word->text[i + 1] == '"';
  }
  return length;
}

crd_status crd__words_copy(crd_context *ctx, const crd__words *words, char ***out) {
  size_t bytes = words->count * sizeof **out;
  for (size_t i = 0; i < words->count; i++) bytes += words->items[i].length + 1;
  CRD_TRY(crd__new(ctx, bytes, 1, "names", out));
  char *at = (char *)(*out + words->count);
  for (size_t i = 0; i < words->count; i++) {
    (*out)[i] = at;
    at += crd__word_copy(&words->items[i], at) +
          1; /* the memory is zeroed: the next byte is the NUL */
  }
  return CRD_OK;
}

void crd__words_clear(const crd_allocator *alloc, crd__words *words) {
  crd__free(alloc, words->items);
  crd__free(alloc, words->slots);
  *words = (crd__words){ 0 };
}

/*
 * sort.c -- American flag sort (McIlroy, Bostic, McIlroy 1993), most significant digit first.
 *
 * A bucket is split on the 8 bits from its highest differing bit down, so that shared prefixes (all
 * confidences are in one or two binades) cost one scan and every split separates records. When word
 * 0 is the same in the whole bucket the digits of word 1 follow; when both are, it is done. A split
 * uses up at least 8 bits or leaves buckets of one value, so recursion is at most 16 deep.
 */
#include "math/sort.h"

#include <assert.h>
#include <stdbool.h>

enum { DIGITS = 256, SMALL = 24, WORDS_MAX = 4, MANY = 1 << 20 };

static inline bool before(const uint64_t *a, const uint64_t *b) {
  return a[0] != b[0] ? a[0] < b[0] : a[1] < b[1];
}

static inline void copy(uint64_t *to, const uint64_t *from, size_t words) {
  for (size_t w = 0; w < words; w++) to[w] = from[w];
}

static inline void insertion(uint64_t *records, size_t count, size_t words) {
  for (size_t i = 1; i < count; i++) {
    uint64_t moving[WORDS_MAX];
    copy(moving, records + i * words, words);
    size_t hole = i;
    for (; hole > 0 && before(moving, records + (hole - 1) * words); hole--)
      copy(records + hole * words, records + (hole - 1) * words, words);
    copy(records + hole * words, moving, words);
  }
}

/* The digit that separates the records: word and shift. find_digit returns false if all keys are
 * equal. */
typedef struct {
  size_t word;
  unsigned shift;
} digit_place;

static inline bool find_digit(const uint64_t *records, size_t count, size_t words,
                              digit_place *place) {
  uint64_t differing[2] = { 0, 0 };
  for (size_t i = 1; i < count; i++) {
    differing[0] |= records[i * words] ^ records[0];
    differing[1] |= records[i * words + 1] ^ records[1];
  }
  place->word = differing[0] ? 0 : 1;
  uint64_t above = differing[place->word] >> 8;
  for (place->shift = 0; above; above >>= 1) place->shift++;
  return differing[place->word] != 0;
}

static inline size_t digit_of(const uint64_t *record, digit_place place) {
  return record[place.word] >> place.shift & (DIGITS - 1);
}

/* Permutes the records into their buckets, following cycles; sets `end` to the end of each. */
static inline void scatter(uint64_t *records, size_t count, size_t words, digit_place place,
                           size_t end[DIGITS]) {
  size_t next[DIGITS];
  memset(end, 0, DIGITS * sizeof *end);
  for (size_t i = 0; i < count; i++) end[digit_of(records + i * words, place)]++;
  for (size_t d = 0, total = 0; d < DIGITS; d++) {
    next[d] = total;
    end[d] = total += end[d];
  }
  for (size_t d = 0; d < DIGITS; d++) {
    while (next[d] < end[d]) {
      uint64_t moving[WORDS_MAX], other[WORDS_MAX];
      uint64_t *const hole = records + next[d] * words;
      copy(moving, hole, words);
      for (size_t home; (home = digit_of(moving, place)) != d;) {
        uint64_t *const target = records + next[home]++ * words;
        copy(other, target, words);
        copy(target, moving, words);
        copy(moving, other, words);
      }
      copy(hole, moving, words);
      next[d]++;
    }
  }
}

static void sort(uint64_t *records, size_t count, size_t words);

static inline void split(uint64_t *records, size_t count, size_t words) {
  digit_place place;
  size_t end[DIGITS];
  if (!find_digit(records, count, words, &place)) return;
  scatter(records, count, words, place, end);
  for (size_t d = 0, from = 0; d < DIGITS; from = end[d++])
    sort(records + from * words, end[d] - from, words);
}

static void sort(uint64_t *records, size_t count, size_t words) {
  if (count <= SMALL) insertion(records, count, words);
  else if (words == 2) split(records, count, 2);
  else if (words == 3) split(records, count, 3);
  else split(records, count, 4);
}

crd_status crd__math_sort_many(crd_context *ctx, uint64_t *records, size_t count, size_t words) {
  digit_place place;
  size_t end[DIGITS];
  CRD_TRY(crd__check_interrupt(ctx));
  if (count < MANY || !find_digit(records, count, words, &place)) {
    crd__math_sort_records(records, count, words);
    return CRD_OK;
  }
  scatter(records, count, words, place, end);
  for (size_t d = 0, from = 0; d < DIGITS; from = end[d++])
    CRD_TRY(crd__math_sort_many(ctx, records + from * words, end[d] - from, words));
  return CRD_OK;
}

void crd__math_sort_records(uint64_t *records, size_t count, size_t words) {
  assert(count == 0 || (words >= 2 && words <= WORDS_MAX));
  sort(records, count, words);
}

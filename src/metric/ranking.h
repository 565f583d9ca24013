/*
 * ranking.h -- rows sorted by confidence, ties by row index.
 *
 * The order depends on the set of rows alone, not on how they were added; so does every sum taken
 * along it. A record is two words: the confidence as a sort key, and the row index with two bits,
 * `hit` (the predicted class is the true one) and `correct` (the event whose probability is the
 * confidence came true; it differs from `hit` only with CRD_BINARY_POS). Weighted rows have one
 * more word, the weight; clustered rows one more, the last, the key of the cluster.
 *
 * Metrics iterate over it in every resample, so the accessors are inline.
 */
#ifndef CRD_METRIC_RANKING_H
#define CRD_METRIC_RANKING_H

#include "base/context.h"
#include "data/rows.h"
#include "math/sort.h"

#include <string.h>

/* The optional 64-bit words of a record, and whether its sort key is that of a number of either
 * sign. */
typedef struct {
  bool weighted, clustered, unbounded;
} crd__metric_record_kind;

size_t crd__metric_record_words(crd__metric_record_kind kind);

typedef struct {
  uint64_t *records;
  size_t count, capacity;
  size_t words; /* per record: 2 .. 4 */
  crd__metric_record_kind kind;
  bool sorted;
} crd__metric_ranking;

/* Reserves memory for `more` records behind the existing ones. The first call sets their kind.
 * ENOMEM; EINPUT if the kind differs. */
crd_status crd__metric_ranking_reserve(crd_context *ctx, const crd_allocator *alloc,
                                       crd__metric_ranking *ranking, size_t more,
                                       crd__metric_record_kind kind);
/* Writes one record at index `at` of the reserved memory; marks are 2 * hit + correct. */
void crd__metric_ranking_set(crd__metric_ranking *ranking, size_t at, double confidence,
                             uint64_t row, unsigned marks, double weight);
/* Sets the cluster of a record; only for clustered rankings. */
void crd__metric_ranking_set_cluster(crd__metric_ranking *ranking, size_t at, uint64_t key);
/* Writes rows from index `at` of the reserved memory on; `first_row` is the row index of the
 * predictions' row 0. */
void crd__metric_ranking_put(crd__metric_ranking *ranking, size_t at, const crd__data_rows *rows,
                             uint64_t first_row);
void crd__metric_ranking_sort(crd__metric_ranking *ranking);
/* Appends the `more` records that were written to the reserved memory. */
void crd__metric_ranking_grow(crd__metric_ranking *ranking, size_t more);
void crd__metric_ranking_clear(const crd_allocator *alloc, crd__metric_ranking *ranking);

static inline const uint64_t *crd__metric_ranking_record(const crd__metric_ranking *ranking,
                                                         size_t index) {
  return ranking->records + index * ranking->words;
}

static inline double crd__metric_ranking_confidence(const crd__metric_ranking *ranking,
                                                    size_t index) {
  const uint64_t key = crd__metric_ranking_record(ranking, index)[0];
  return ranking->kind.unbounded ? crd__math_sort_signed_value(key) : crd__math_sort_value(key);
}

static inline bool crd__metric_ranking_correct(const crd__metric_ranking *ranking, size_t index) {
  return crd__metric_ranking_record(ranking, index)[1] & 1;
}

static inline bool crd__metric_ranking_hit(const crd__metric_ranking *ranking, size_t index) {
  return crd__metric_ranking_record(ranking, index)[1] >> 1 & 1;
}

static inline uint64_t crd__metric_ranking_row(const crd__metric_ranking *ranking, size_t index) {
  return crd__metric_ranking_record(ranking, index)[1] >> 2;
}

static inline double crd__metric_ranking_weight(const crd__metric_ranking *ranking, size_t index) {
  double weight = 1;
  if (ranking->kind.weighted)
    memcpy(&weight, &crd__metric_ranking_record(ranking, index)[2], sizeof weight);
  return weight;
}

/* Returns the key of the row's cluster; only for clustered rankings. */
static inline uint64_t crd__metric_ranking_cluster(const crd__metric_ranking *ranking,
                                                   size_t index) {
  return crd__metric_ranking_record(ranking, index + 1)[-1];
}

/* Returns the number of rows of positive weight. */
size_t crd__metric_ranking_count_positive(const crd__metric_ranking *ranking);

/*
 * A run of equal confidences, for iterating over the ranking from either end:
 *   for (crd__metric_ties t = crd__ties_first(r); t.count; t = crd__metric_ties_next(r, t)) ...
 * `right` and `wrong` are the weights of correct and incorrect rows in the run.
 */
typedef struct {
  size_t from, count;
  bool descending;
  double confidence, right, wrong;
} crd__metric_ties;

static inline void crd__metric_ties_count(const crd__metric_ranking *ranking, size_t index,
                                          crd__metric_ties *ties) {
  const double weight = crd__metric_ranking_weight(ranking, index);
  if (crd__metric_ranking_correct(ranking, index)) ties->right += weight;
  else ties->wrong += weight;
  ties->count++;
}

/* Returns the run that starts at `from`, upwards or downwards. */
static inline crd__metric_ties crd__metric_ties_at(const crd__metric_ranking *ranking, size_t from,
                                                   bool descending) {
  crd__metric_ties ties = { .from = from, .descending = descending };
  if (from >= ranking->count) return ties;
  const uint64_t key = crd__metric_ranking_record(ranking, from)[0];
  ties.confidence = crd__metric_ranking_confidence(ranking, from);
  /* Downwards, i wraps around below 0 to SIZE_MAX, which ends the run too. */
  for (size_t i = from; i < ranking->count && crd__metric_ranking_record(ranking, i)[0] == key;
       descending ? i-- : i++)
    crd__metric_ties_count(ranking, i, &ties);
  return ties;
}

static inline crd__metric_ties
crd__metric_ties_lowest(const crd__metric_ranking *ranking) { /* then upwards */
  return crd__metric_ties_at(ranking, 0, false);
}

static inline crd__metric_ties
crd__metric_ties_highest(const crd__metric_ranking *ranking) { /* then downwards */
  return crd__metric_ties_at(ranking, ranking->count - 1, true);
}

static inline crd__metric_ties crd__metric_ties_next(const crd__metric_ranking *ranking,
                                                     crd__metric_ties ties) {
  const size_t next = ties.descending ? ties.from - ties.count : ties.from + ties.count;
  return crd__metric_ties_at(ranking, next, ties.descending);
}

/* Returns the weights of all rows, as one run. */
crd__metric_ties crd__metric_ties_total(const crd__metric_ranking *ranking);

#endif

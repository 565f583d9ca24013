/* ranking.c -- rows in order of confidence, and walking along runs of ties. */
#include "metric/ranking.h"
#include "base/memory.h"
#include "math/sort.h"

#include <string.h>

size_t crd__record_words(crd__record_kind kind) {
  return 2 + (size_t)kind.weighted + (size_t)kind.clustered;
}

static bool same_kind(crd__record_kind a, crd__record_kind b) {
  return a.weighted == b.weighted && a.clustered == b.clustered;
}

crd_status crd__ranking_reserve(crd_context *ctx, const crd_allocator *alloc, crd__ranking *ranking,
                                size_t more, crd__record_kind kind) {
  const size_t words = crd__record_words(kind);
  size_t need, cells;
  if (ranking->count > 0 && !same_kind(ranking->kind, kind))
    return crd__fail(ctx, CRD_EINPUT,
                     "rows with weights or clusters and rows without cannot be put together");
  if (!crd__size_add(ranking->count, more, &need) || !crd__size_mul(need, words, &cells))
    return crd__fail(ctx, CRD_ENOMEM, "no memory for a ranking of so many rows");
  if (ranking->capacity < need || ranking->words != words) {
    uint64_t *const records = crd__resize(alloc, ranking->records, cells, sizeof *records);
    if (!records) return crd__fail(ctx, CRD_ENOMEM, "no memory for a ranking of %zu rows", need);
    ranking->records = records;
    ranking->capacity = need;
    ranking->words = words;
  }
  ranking->kind = kind;
  return CRD_OK;
}

void crd__ranking_set(crd__ranking *ranking, size_t at, double confidence, uint64_t row,
                      unsigned marks, double weight) {
  uint64_t *const record = ranking->records + at * ranking->words;
  record[0] = crd__sort_key(confidence);
  record[1] = row << 2 | marks;
  if (ranking->kind.weighted) memcpy(&record[2], &weight, sizeof record[2]);
}

void crd__ranking_set_cluster(crd__ranking *ranking, size_t at, uint64_t key) {
  ranking->records[(at + 1) * ranking->words - 1] = key;
}

void crd__ranking_put(crd__ranking *ranking, size_t at, const crd__rows *rows, uint64_t first_row) {
  for (size_t i = 0; i < rows->count; i++) {
    crd__ranking_set(ranking, at + i, rows->confidence[i], first_row + rows->first + i,
                     (unsigned)rows->hit[i] << 1 | rows->correct[i], rows->weight[i]);
    if (ranking->kind.clustered) crd__ranking_set_cluster(ranking, at + i, rows->cluster[i]);
  }
}

void crd__ranking_grow(crd__ranking *ranking, size_t more) {
  ranking->count += more;
  ranking->sorted = ranking->sorted && more == 0;
}

void crd__ranking_sort(crd__ranking *ranking) {
  if (!ranking->sorted) crd__sort_records(ranking->records, ranking->count, ranking->words);
  ranking->sorted = true;
}

void crd__ranking_clear(const crd_allocator *alloc, crd__ranking *ranking) {
  crd__free(alloc, ranking->records);
  *ranking = (crd__ranking){ 0 };
}

static const uint64_t *record_at(const crd__ranking *ranking, size_t index) {
  return ranking->records + index * ranking->words;
}

double crd__ranking_confidence(const crd__ranking *ranking, size_t index) {
  return crd__sort_value(record_at(ranking, index)[0]);
}

bool crd__ranking_correct(const crd__ranking *ranking, size_t index) {
  return record_at(ranking, index)[1] & 1;
}

bool crd__ranking_hit(const crd__ranking *ranking, size_t index) {
  return record_at(ranking, index)[1] >> 1 & 1;
}

uint64_t crd__ranking_row(const crd__ranking *ranking, size_t index) {
  return record_at(ranking, index)[1] >> 2;
}

double crd__ranking_weight(const crd__ranking *ranking, size_t index) {
  double weight = 1;
  if (ranking->kind.weighted) memcpy(&weight, &record_at(ranking, index)[2], sizeof weight);
  return weight;
}

uint64_t crd__ranking_cluster(const crd__ranking *ranking, size_t index) {
  return record_at(ranking, index + 1)[-1];
}

size_t crd__ranking_weighty(const crd__ranking *ranking) {
  size_t count = 0;
  for (size_t i = 0; i < ranking->count; i++) count += crd__ranking_weight(ranking, i) > 0;
  return count;
}

static void count_row(const crd__ranking *ranking, size_t index, crd__ties *ties) {
  const double weight = crd__ranking_weight(ranking, index);
  if (crd__ranking_correct(ranking, index)) ties->right += weight;
  else ties->wrong += weight;
  ties->count++;
}

/* The run that begins at `from`, upwards or downwards. */
static crd__ties run_at(const crd__ranking *ranking, size_t from, bool descending) {
  crd__ties ties = { .from = from, .descending = descending };
  if (from >= ranking->count) return ties;
  const uint64_t key = record_at(ranking, from)[0];
  ties.confidence = crd__ranking_confidence(ranking, from);
  /* Downwards, `from` passes 0 to the largest size, which ends the run too. */
  for (size_t i = from; i < ranking->count && record_at(ranking, i)[0] == key;
       descending ? i-- : i++)
    count_row(ranking, i, &ties);
  return ties;
}

crd__ties crd__ties_lowest(const crd__ranking *ranking) { return run_at(ranking, 0, false); }

crd__ties crd__ties_highest(const crd__ranking *ranking) {
  return run_at(ranking, ranking->count - 1, true);
}

crd__ties crd__ties_next(const crd__ranking *ranking, crd__ties ties) {
  const size_t next = ties.descending ? ties.from - ties.count : ties.from + ties.count;
  return run_at(ranking, next, ties.descending);
}

crd__ties crd__ties_total(const crd__ranking *ranking) {
  crd__ties ties = { 0 };
  for (size_t i = 0; i < ranking->count; i++) count_row(ranking, i, &ties);
  return ties;
}

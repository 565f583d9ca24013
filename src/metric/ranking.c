/* ranking.c -- rows in order of confidence: gathered, sorted, added up. */
#include "metric/ranking.h"
#include "base/memory.h"

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
    crd__ranking_set(ranking, at + i, rows->confidence[i], first_row + crd__row_number(rows, i),
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

size_t crd__ranking_weighty(const crd__ranking *ranking) {
  size_t count = 0;
  for (size_t i = 0; i < ranking->count; i++) count += crd__ranking_weight(ranking, i) > 0;
  return count;
}

crd__ties crd__ties_total(const crd__ranking *ranking) {
  crd__ties ties = { 0 };
  for (size_t i = 0; i < ranking->count; i++) crd__ties_count(ranking, i, &ties);
  return ties;
}

/* ranking.c -- rows sorted by confidence: appended, sorted, summed. */
#include "metric/ranking.h"
#include "base/memory.h"

size_t crd__metric_record_words(crd__metric_record_kind kind) {
  return 2 + (size_t)kind.weighted + (size_t)kind.clustered;
}

static bool same_kind(crd__metric_record_kind a, crd__metric_record_kind b) {
  return a.weighted == b.weighted && a.clustered == b.clustered && a.unbounded == b.unbounded;
}

crd_status crd__metric_ranking_reserve(crd_context *ctx, const crd_allocator *alloc,
                                       crd__metric_ranking *ranking, size_t more,
                                       crd__metric_record_kind kind) {
  const size_t words = crd__metric_record_words(kind);
  size_t need, cells;
  if (ranking->count > 0 && !same_kind(ranking->kind, kind))
    return crd__fail(ctx, CRD_EINPUT,
                     "rows with weights or clusters and rows without cannot be merged");
  if (!crd__size_add(ranking->count, more, &need) || !crd__size_mul(need, words, &cells))
    return crd__fail(ctx, CRD_ENOMEM, "no memory for a ranking: too many rows");
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

void crd__metric_ranking_set(crd__metric_ranking *ranking, size_t at, double confidence,
                             uint64_t row, unsigned marks, double weight) {
  uint64_t *const record = ranking->records + at * ranking->words;
  record[0] = ranking->kind.unbounded ? crd__math_sort_signed_key(confidence)
                                      : crd__math_sort_key(confidence);
  record[1] = row << 2 | marks;
  if (ranking->kind.weighted) memcpy(&record[2], &weight, sizeof record[2]);
}

void crd__metric_ranking_set_cluster(crd__metric_ranking *ranking, size_t at, uint64_t key) {
  ranking->records[(at + 1) * ranking->words - 1] = key;
}

void crd__metric_ranking_put(crd__metric_ranking *ranking, size_t at, const crd__data_rows *rows,
                             uint64_t first_row) {
  for (size_t i = 0; i < rows->count; i++) {
    crd__metric_ranking_set(ranking, at + i, rows->confidence[i],
                            first_row + crd__data_row_number(rows, i),
                            (unsigned)rows->hit[i] << 1 | rows->correct[i], rows->weight[i]);
    if (ranking->kind.clustered) crd__metric_ranking_set_cluster(ranking, at + i, rows->cluster[i]);
  }
}

void crd__metric_ranking_grow(crd__metric_ranking *ranking, size_t more) {
  ranking->count += more;
  ranking->sorted = ranking->sorted && more == 0;
}

void crd__metric_ranking_sort(crd__metric_ranking *ranking) {
  if (!ranking->sorted) crd__math_sort_records(ranking->records, ranking->count, ranking->words);
  ranking->sorted = true;
}

void crd__metric_ranking_clear(const crd_allocator *alloc, crd__metric_ranking *ranking) {
  crd__free(alloc, ranking->records);
  *ranking = (crd__metric_ranking){ 0 };
}

size_t crd__metric_ranking_count_positive(const crd__metric_ranking *ranking) {
  size_t count = 0;
  for (size_t i = 0; i < ranking->count; i++) count += crd__metric_ranking_weight(ranking, i) > 0;
  return count;
}

crd__metric_ties crd__metric_ties_total(const crd__metric_ranking *ranking) {
  crd__metric_ties ties = { 0 };
  for (size_t i = 0; i < ranking->count; i++) crd__metric_ties_count(ranking, i, &ties);
  return ties;
}

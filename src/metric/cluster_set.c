/* cluster_set.c -- sets of cluster keys, merged like sorted lists. */
#include "metric/cluster_set.h"
#include "base/memory.h"
#include "math/sort.h"

#include <string.h>

static crd_status allocate(crd_context *ctx, const crd_allocator *alloc, size_t count,
                           crd__metric_cluster_set *out) {
  *out = (crd__metric_cluster_set){ .keys = crd__calloc(alloc, count, sizeof *out->keys) };
  return out->keys ? CRD_OK : crd__fail(ctx, CRD_ENOMEM, "no memory for %zu clusters", count);
}

crd_status crd__metric_cluster_set_of(crd_context *ctx, const crd_allocator *alloc,
                                      const crd_predictions *predictions,
                                      crd__metric_cluster_set *out) {
  enum { WORDS = 2 }; /* sorting needs records of at least two words */
  const size_t rows = crd_predictions_rows(predictions);
  uint64_t *records;
  size_t count = 0;
  *out = (crd__metric_cluster_set){ 0 };
  if (!predictions->cluster_keys) return CRD_OK;
  CRD_TRY(crd__new(ctx, rows, WORDS * sizeof *records, "clusters", &records));
  for (size_t i = 0; i < rows; i++)
    records[WORDS * i] = predictions->cluster_keys[crd__data_row_at(predictions, i)];
  crd__math_sort_records(records, rows, WORDS);
  for (size_t i = 0; i < rows; i++)
    if (i == 0 || records[WORDS * i] != records[WORDS * (count - 1)])
      records[WORDS * count++] = records[WORDS * i];
  const crd_status status = allocate(ctx, alloc, count, out);
  for (size_t i = 0; status == CRD_OK && i < count; i++)
    out->keys[out->count++] = records[WORDS * i];
  crd__free(&ctx->alloc, records);
  return status;
}

crd_status crd__metric_cluster_set_join(crd_context *ctx, const crd_allocator *alloc,
                                        const crd__metric_cluster_set *a,
                                        const crd__metric_cluster_set *b,
                                        crd__metric_cluster_set *out) {
  *out = (crd__metric_cluster_set){ 0 };
  if (a->count + b->count == 0) return CRD_OK;
  CRD_TRY(allocate(ctx, alloc, a->count + b->count, out));
  for (size_t i = 0, j = 0; i < a->count || j < b->count;) {
    const bool left = j == b->count || (i < a->count && a->keys[i] <= b->keys[j]);
    const uint64_t key = left ? a->keys[i] : b->keys[j];
    if (i < a->count && a->keys[i] == key) i++;
    if (j < b->count && b->keys[j] == key) j++;
    out->keys[out->count++] = key;
  }
  return CRD_OK;
}

bool crd__metric_cluster_set_equal(const crd__metric_cluster_set *a,
                                   const crd__metric_cluster_set *b) {
  return a->count == b->count &&
         (a->count == 0 || memcmp(a->keys, b->keys, a->count * sizeof *a->keys) == 0);
}

size_t crd__metric_cluster_set_common(const crd__metric_cluster_set *a,
                                      const crd__metric_cluster_set *b) {
  size_t common = 0;
  for (size_t i = 0, j = 0; i < a->count && j < b->count;) {
    common += a->keys[i] == b->keys[j];
    const bool left = a->keys[i] <= b->keys[j], right = b->keys[j] <= a->keys[i];
    i += left;
    j += right;
  }
  return common;
}

void crd__metric_cluster_set_clear(const crd_allocator *alloc, crd__metric_cluster_set *set) {
  crd__free(alloc, set->keys);
  *set = (crd__metric_cluster_set){ 0 };
}

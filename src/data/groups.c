/* groups.c -- rows ordered by group, by sorting (group, row). */
#include "data/groups.h"
#include "base/memory.h"
#include "data/array.h"
#include "data/rows.h"
#include "math/sort.h"

#define SIGN (UINT64_C(1) << 63) /* flipped, signed ids sort as unsigned */

/* Sorts by the ids of a column, or by cluster if it is NULL. */
static crd_status order(crd_context *ctx, const crd_predictions *p, const crd_group_column *column,
                        uint64_t *queue) {
  const size_t rows = crd_predictions_rows(p);
  for (size_t i = 0; i < rows; i++) {
    int64_t group = 0;
    if (column && !crd__data_array_integer(&column->ids, crd__data_row_at(p, i), 0, &group))
      return crd__data_row_fail(ctx, p, column->name, i, " is neither an integer nor text");
    queue[2 * i] = column ? (uint64_t)group ^ SIGN : p->cluster_keys[crd__data_row_at(p, i)];
    queue[2 * i + 1] = i;
  }
  crd__math_sort_records(queue, rows, 2);
  return CRD_OK;
}

static crd_status fill(crd_context *ctx, const uint64_t *queue, size_t rows, crd__data_groups *g) {
  size_t count = 1;
  for (size_t i = 1; i < rows; i++) count += queue[2 * i] != queue[2 * (i - 1)];
  CRD_TRY(crd__new(ctx, count, sizeof *g->id, "groups", &g->id));
  CRD_TRY(crd__new(ctx, count + 1, sizeof *g->start, "groups", &g->start));
  CRD_TRY(crd__new(ctx, rows, sizeof *g->rows, "groups", &g->rows));
  for (size_t i = 0; i < rows; i++) {
    if (i == 0 || queue[2 * i] != queue[2 * (i - 1)]) {
      g->id[g->count] = (int64_t)(queue[2 * i] ^ SIGN);
      g->start[g->count++] = i;
    }
    g->rows[i] = (size_t)queue[2 * i + 1];
  }
  g->start[count] = rows;
  return CRD_OK;
}

crd_status crd__data_groups_make(crd_context *ctx, const crd_predictions *predictions,
                                 const crd_group_column *column, crd__data_groups *out) {
  const size_t rows = crd_predictions_rows(predictions);
  uint64_t *queue;
  *out = (crd__data_groups){ 0 };
  CRD_TRY(crd__new(ctx, rows, 2 * sizeof *queue, "groups", &queue));
  crd_status status = order(ctx, predictions, column, queue);
  if (status == CRD_OK) status = fill(ctx, queue, rows, out);
  crd__free(&ctx->alloc, queue);
  if (status != CRD_OK) crd__data_groups_clear(&ctx->alloc, out);
  return status;
}

crd_status crd__data_groups_together(crd_context *ctx, const crd_predictions *predictions,
                                     crd__data_groups *out) {
  const crd_predictions_parts *const parts = &predictions->parts;
  *out = (crd__data_groups){ 0 };
  if (predictions->cluster_keys) return crd__data_groups_make(ctx, predictions, NULL, out);
  if (parts->group_column_count > 0)
    return crd__data_groups_make(ctx, predictions, &parts->group_columns[0], out);
  return crd__fail(ctx, CRD_EINPUT, "%s: there are no groups (an array or column `groups`)",
                   parts->name);
}

void crd__data_groups_clear(const crd_allocator *alloc, crd__data_groups *groups) {
  crd__free(alloc, groups->id);
  crd__free(alloc, groups->start);
  crd__free(alloc, groups->rows);
  *groups = (crd__data_groups){ 0 };
}

/* shifted.c -- the thresholds of operating points on shifted sets: does the promised risk hold? */
#include "base/arena.h"
#include "base/memory.h"
#include "credence/operating.h"

/* Rows that are the same samples as those of the original have its clusters (shift.h). */
static crd_status apply(crd_context *ctx, const crd_operating_table *table,
                        const crd_predictions *original, const crd_predictions *set, bool paired,
                        unsigned resamples, const crd_operating_table **out) {
  crd_predictions *view;
  CRD_TRY(crd_predictions_view(ctx, set, &view));
  crd_status status = paired ? crd_predictions_share_clusters(ctx, view, original) : CRD_OK;
  if (status == CRD_OK) status = crd_operating_apply(ctx, table, view, resamples, out);
  crd_predictions_destroy(view);
  return status;
}

/* Makes a table with the points, which owns them and the one before. */
static crd_status show(crd_context *ctx, const crd_operating_table **points,
                       const crd_shift_table **shift) {
  const crd_shift_table *const before = *shift;
  *shift = NULL;
  const crd_shift_table *table = NULL;
  crd_status status = crd_shift_table_with(ctx, before, points, &table);
  for (size_t i = 0; status == CRD_OK && i < before->count; i++) {
    const crd_operating_table *const taken = points[i];
    points[i] = NULL;
    status = crd__arena_keep(ctx, table, taken, crd__arena_free);
  }
  if (status != CRD_OK) crd_shift_table_destroy(before);
  else status = crd__arena_keep(ctx, table, before, crd__arena_free);
  if (status == CRD_OK) *shift = table;
  else crd_shift_table_destroy(table);
  return status;
}

crd_status crd_operating_apply_shift(crd_context *ctx, const crd_operating_table *table,
                                     const crd_predictions *original, const crd_shift_set *sets,
                                     unsigned resamples, const crd_shift_table **shift) {
  const crd_operating_table **points;
  const size_t count = (*shift)->count;
  const crd_shift *const items = (*shift)->items;
  CRD_TRY(crd__new(ctx, count, sizeof *points, "operating points", &points));
  crd_status status = CRD_OK;
  for (size_t i = 0; status == CRD_OK && i < count; i++)
    if (items[i].labelled)
      status = apply(ctx, table, original, sets[i].predictions, items[i].rows == CRD_SHIFT_PAIRED,
                     resamples, &points[i]);
  if (status == CRD_OK) status = show(ctx, points, shift);
  for (size_t i = 0; i < count; i++) crd_operating_destroy(points[i]);
  crd__free(&ctx->alloc, points);
  return status;
}

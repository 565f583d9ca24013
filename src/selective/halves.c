/* halves.c -- splits rows into a half that chooses thresholds and a half that measures them. */
#include "selective/halves.h"
#include "base/memory.h"
#include "data/predictions.h"

enum { HALVES = 2 };

/* Whether there are two rows, of two clusters if they are clustered. */
static bool can_split(const crd_predictions *p) {
  const size_t rows = crd_predictions_rows(p);
  if (!p->cluster_keys) return rows >= HALVES;
  for (size_t i = 1; i < rows; i++)
    if (p->cluster_keys[crd__data_row_at(p, i)] != p->cluster_keys[crd__data_row_at(p, 0)])
      return true;
  return false;
}

static crd_status pick(crd_context *ctx, const crd_predictions *p, const unsigned *half,
                       unsigned which, crd_predictions **out) {
  size_t *rows, count = 0;
  CRD_TRY(crd__new(ctx, crd_predictions_rows(p), sizeof *rows, "halves", &rows));
  for (size_t i = 0; i < crd_predictions_rows(p); i++)
    if (half[i] == which) rows[count++] = i;
  const crd_status status = crd__data_predictions_pick(ctx, p, rows, count, out);
  crd__free(&ctx->alloc, rows);
  return status;
}

crd_status crd__selective_halves_make(crd_context *ctx, const crd_predictions *p,
                                      crd__selective_halves *out) {
  const crd_split kind = p->cluster_keys ? CRD_SPLIT_GROUPS
                         : p->classes    ? CRD_SPLIT_CLASSES
                                         : CRD_SPLIT_ROWS;
  *out = (crd__selective_halves){ 0 };
  if (!can_split(p)) return CRD_OK;
  CRD_TRY(crd__new(ctx, crd_predictions_rows(p), sizeof *out->half, "halves", &out->half));
  crd_status status = crd_predictions_split(ctx, p, kind, HALVES, out->half);
  if (status == CRD_OK) status = pick(ctx, p, out->half, 0, &out->choose);
  if (status == CRD_OK) status = pick(ctx, p, out->half, 1, &out->measure);
  if (status != CRD_OK) crd__selective_halves_clear(&ctx->alloc, out);
  return status;
}

void crd__selective_halves_clear(const crd_allocator *alloc, crd__selective_halves *halves) {
  crd_predictions_destroy(halves->choose);
  crd_predictions_destroy(halves->measure);
  crd__free(alloc, halves->half);
  *halves = (crd__selective_halves){ 0 };
}

/*
 * view.c -- predictions that read the rows of others.
 *
 * Views and picked rows borrow everything but what changes: their clusters, their recalibrated
 * losses and their notes are their own, so that the predictions they come from stay as they are,
 * for other threads and for later calls.
 */
#include "data/predictions.h"

#include "base/memory.h"
#include "data/clusters.h"

/* Creates predictions that read all rows of `from`, and have none of its notes. */
static crd_status borrow(crd_context *ctx, const crd_predictions *from, crd_predictions **out) {
  CRD_TRY(crd__new(ctx, 1, sizeof **out, "predictions", out));
  crd_predictions *const p = *out;
  *p = *from;
  p->alloc = ctx->alloc;
  p->notes = (crd__notes){ 0 };
  p->keeper = NULL;
  p->release = NULL;
  p->borrows = p->borrows_clusters = true;
  p->owns_recalibrated = false;
  p->picked = NULL;
  return CRD_OK;
}

/* Sets p->picked to rows of `from`; `rows` NULL: its first ones. */
static crd_status pick(crd_context *ctx, const crd_predictions *from, const size_t *rows,
                       crd_predictions *p) {
  CRD_TRY(crd__new(ctx, p->rows, sizeof *p->picked, "rows", &p->picked));
  for (size_t i = 0; i < p->rows; i++) p->picked[i] = crd__data_row_at(from, rows ? rows[i] : i);
  return CRD_OK;
}

static crd_status finish(crd_status status, crd_predictions **out) {
  if (status == CRD_OK) return CRD_OK;
  crd_predictions_destroy(*out);
  *out = NULL;
  return status;
}

crd_status crd__data_predictions_pick(crd_context *ctx, const crd_predictions *from,
                                      const size_t *rows, size_t count, crd_predictions **out) {
  *out = NULL;
  CRD_TRY(borrow(ctx, from, out));
  (*out)->numbered = false;
  (*out)->rows = count;
  return finish(pick(ctx, from, rows, *out), out);
}

crd_status crd_predictions_view(crd_context *ctx, const crd_predictions *from,
                                crd_predictions **out) {
  *out = NULL;
  CRD_TRY(borrow(ctx, from, out));
  crd_status status = from->picked ? pick(ctx, from, NULL, *out) : CRD_OK;
  for (size_t i = 0; status == CRD_OK && i < from->notes.count; i++)
    status = crd__notes_add(ctx, &(*out)->alloc, &(*out)->notes, "%s", from->notes.items[i]);
  return finish(status, out);
}

/*
 * cluster_notes.c -- notes on contests whose rows are not independent: clusters on both sides of
 * the split.
 */
#include "evaluate/cluster_notes.h"
#include "contest/cross.h"
#include "data/clusters.h"

/* Notes whether calibration and test rows share clusters, which makes the test optimistic. */
static crd_status note_sides(crd_context *ctx, const crd__contest_rounds *rounds,
                             const crd_allocator *alloc, crd__notes *notes) {
  const char *const column = crd_predictions_cluster(rounds->test);
  crd__metric_cluster_set calibrate = { 0 }, test = { 0 };
  crd__text text;
  if (!crd__data_cluster_same(crd_predictions_cluster(rounds->calibrate), column)) return CRD_OK;
  crd_status status = crd__metric_cluster_set_of(ctx, &ctx->alloc, rounds->calibrate, &calibrate);
  if (status == CRD_OK) status = crd__metric_cluster_set_of(ctx, &ctx->alloc, rounds->test, &test);
  const size_t common = crd__metric_cluster_set_common(&calibrate, &test);
  crd__text_init(&text, &ctx->alloc);
  if (rounds->folds) {
    crd__text_add(&text, "no cluster is in more than one fold: ");
    crd__evaluate_cluster_notes_count(&text, column, test.count);
  } else {
    crd__text_add(&text, "calibrated on ");
    crd__evaluate_cluster_notes_count(&text, column, calibrate.count);
    crd__text_addf(&text, ", tested on %zu", test.count);
    if (common == 0) crd__text_add(&text, test.count == 1 ? " other" : " others");
    else
      crd__text_addf(&text,
                     ", %zu of them %s in both: results on the test rows are too optimistic for "
                     "new ones",
                     common, common == 1 ? "is" : "are");
  }
  crd__metric_cluster_set_clear(&ctx->alloc, &calibrate);
  crd__metric_cluster_set_clear(&ctx->alloc, &test);
  if (status == CRD_OK) return crd__evaluate_cluster_notes_add(ctx, &text, alloc, notes);
  crd__text_clear(&text);
  return status;
}

crd_status crd__contest_cluster_notes(crd_context *ctx, const crd__contest_rounds *rounds,
                                      const crd_evidence *tested, const crd_allocator *alloc,
                                      crd__notes *notes) {
  if (crd__metric_rows_independent(tested)) return CRD_OK;
  CRD_TRY(note_sides(ctx, rounds, alloc, notes));
  return crd__evaluate_cluster_notes_of_result(ctx, tested, alloc, notes);
}

/* cluster_notes.c -- what to know of results whose rows are not independent, in words. */
#include "evaluate/cluster_notes.h"
#include "data/clusters.h"

#include <string.h>

enum { FEW = 20 }; /* docs/statistics.md has how often intervals of so few hold the truth */

/* "57 patients", or "57 clusters of 'site'". */
static void add_clusters(crd__text *out, const char *column, size_t count) {
  const char *const noun = crd__cluster_noun(column);
  const int singular = count == 1; /* drops the s */
  if (noun) crd__text_addf(out, "%zu %.*s", count, (int)strlen(noun) - singular, noun);
  else crd__text_addf(out, "%zu cluster%s of '%s'", count, singular ? "" : "s", column);
}

static crd_status keep(crd_context *ctx, crd__text *text, const crd_allocator *alloc,
                       crd__notes *notes) {
  crd_status status = crd__text_status(ctx, text);
  if (status == CRD_OK) status = crd__notes_add(ctx, alloc, notes, "%s", text->bytes);
  crd__text_clear(text);
  return status;
}

static crd_status note_bootstrap(crd_context *ctx, const crd_evidence *e,
                                 const crd_allocator *alloc, crd__notes *notes) {
  crd__text text;
  crd__text_init(&text, &ctx->alloc);
  crd__text_add(&text, e->resamples ? "intervals: bootstrap of " : "");
  add_clusters(&text, e->kind.cluster, e->clusters.count);
  crd__text_addf(&text, "%s, %llu row%s", e->resamples ? " (cluster bootstrap)" : "",
                 (unsigned long long)e->rows, e->rows == 1 ? "" : "s");
  if (e->resamples && e->clusters.count == 1)
    crd__text_add(&text, "; one cluster does not tell how clusters differ: there are no intervals");
  else if (e->resamples && e->clusters.count < FEW)
    crd__text_add(&text, "; with so few, intervals tend to be too narrow");
  return keep(ctx, &text, alloc, notes);
}

static bool has_test(const crd_evidence *e) {
  for (size_t m = 0; m < e->plan.metric_count; m++)
    if (e->plan.metrics[m]->p) return true;
  return false;
}

crd_status crd__cluster_notes_of_result(crd_context *ctx, const crd_evidence *evidence,
                                        const crd_allocator *alloc, crd__notes *notes) {
  if (crd__rows_independent(evidence)) return CRD_OK;
  CRD_TRY(note_bootstrap(ctx, evidence, alloc, notes));
  return crd__notes_add(
      ctx, alloc, notes,
      "rows of one cluster are not independent: %sthe noise floor and the ranges of the "
      "reliability diagram's bins, which count rows, are too small",
      has_test(evidence) ? "tests of calibration (p), which need independent rows, are left out; "
                         : "");
}

/* Rows of a patient that calibrated are no test of the calibrator. */
static crd_status note_sides(crd_context *ctx, const crd__rounds *rounds,
                             const crd_allocator *alloc, crd__notes *notes) {
  const char *const column = crd_predictions_cluster(rounds->test);
  crd__cluster_set calibrate = { 0 }, test = { 0 };
  crd__text text;
  if (!crd__cluster_same(crd_predictions_cluster(rounds->calibrate), column)) return CRD_OK;
  crd_status status = crd__cluster_set_of(ctx, &ctx->alloc, rounds->calibrate, &calibrate);
  if (status == CRD_OK) status = crd__cluster_set_of(ctx, &ctx->alloc, rounds->test, &test);
  const size_t common = crd__cluster_set_common(&calibrate, &test);
  crd__text_init(&text, &ctx->alloc);
  if (rounds->folds) {
    crd__text_add(&text, "no fold shares a cluster with another: ");
    add_clusters(&text, column, test.count);
  } else {
    crd__text_add(&text, "calibrated on ");
    add_clusters(&text, column, calibrate.count);
    crd__text_addf(&text, ", tested on %zu", test.count);
    if (common == 0) crd__text_add(&text, test.count == 1 ? " other" : " others");
    else
      crd__text_addf(&text,
                     ", of which %zu %s among the former: what the test rows show is better than "
                     "it would be for new ones",
                     common, common == 1 ? "is" : "are");
  }
  crd__cluster_set_clear(&ctx->alloc, &calibrate);
  crd__cluster_set_clear(&ctx->alloc, &test);
  if (status == CRD_OK) return keep(ctx, &text, alloc, notes);
  crd__text_clear(&text);
  return status;
}

crd_status crd__cluster_notes_of_contest(crd_context *ctx, const crd__rounds *rounds,
                                         const crd_evidence *tested, const crd_allocator *alloc,
                                         crd__notes *notes) {
  if (crd__rows_independent(tested)) return CRD_OK;
  CRD_TRY(note_sides(ctx, rounds, alloc, notes));
  return crd__cluster_notes_of_result(ctx, tested, alloc, notes);
}

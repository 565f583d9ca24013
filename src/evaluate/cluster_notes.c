/* cluster_notes.c -- notes on results whose rows are clustered, thus not independent. */
#include "evaluate/cluster_notes.h"
#include "data/clusters.h"

#include <string.h>

enum { FEW = 20 }; /* docs/statistics.md has the coverage of intervals from fewer clusters */

void crd__evaluate_cluster_notes_count(crd__text *out, const char *column, size_t count) {
  const char *const noun = crd__data_cluster_noun(column);
  const int singular = count == 1; /* drops the s */
  if (noun) crd__text_addf(out, "%zu %.*s", count, (int)strlen(noun) - singular, noun);
  else crd__text_addf(out, "%zu cluster%s of '%s'", count, singular ? "" : "s", column);
}

crd_status crd__evaluate_cluster_notes_add(crd_context *ctx, crd__text *text,
                                           const crd_allocator *alloc, crd__notes *notes) {
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
  crd__evaluate_cluster_notes_count(&text, e->kind.cluster, e->clusters.count);
  crd__text_addf(&text, "%s, %llu row%s", e->resamples ? " (cluster bootstrap)" : "",
                 (unsigned long long)e->rows, e->rows == 1 ? "" : "s");
  if (e->resamples && e->clusters.count == 1)
    crd__text_add(&text, "; intervals need at least two clusters");
  else if (e->resamples && e->clusters.count < FEW)
    crd__text_addf(&text, "; with fewer than %d, intervals tend to be too narrow", FEW);
  return crd__evaluate_cluster_notes_add(ctx, &text, alloc, notes);
}

static bool has_test(const crd_evidence *e) {
  for (size_t m = 0; m < e->plan.metric_count; m++)
    if (e->plan.metrics[m]->p) return true;
  return false;
}

crd_status crd__evaluate_cluster_notes_of_result(crd_context *ctx, const crd_evidence *evidence,
                                                 const crd_allocator *alloc, crd__notes *notes) {
  if (crd__metric_rows_independent(evidence)) return CRD_OK;
  CRD_TRY(note_bootstrap(ctx, evidence, alloc, notes));
  return crd__notes_add(
      ctx, alloc, notes,
      "rows of one cluster are not independent: %sthe noise floor and the ranges of the "
      "reliability diagram's bins, which count rows, are too small",
      has_test(evidence) ? "tests of calibration (p), which need independent rows, are omitted; "
                         : "");
}

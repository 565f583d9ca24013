/* evaluate.c -- computes a result from evidence: metrics, intervals, reliability bins, notes. */
#include "credence/evaluate.h"
#include "base/arena.h"
#include "base/options.h"
#include "base/text.h"
#include "evaluate/bin_range.h"
#include "evaluate/cluster_notes.h"
#include "evaluate/interval.h"
#include "evaluate/results.h"
#include "metric/evidence.h"
#include "metric/top_bins.h"

#include <math.h>
#include <string.h>

void crd_result_destroy(const crd_result *result) { crd__arena_free(result); }

const crd_metric_value *crd_result_value(const crd_result *result, const char *metric) {
  for (size_t i = 0; result && i < result->value_count; i++)
    if (strcmp(result->values[i].metric->name, metric) == 0) return &result->values[i];
  return NULL;
}

static crd_metric_value finish(const crd_evidence *e, const crd__metric *metric) {
  const crd__metric_facts facts = crd__metric_evidence_facts(e, metric, 0, e->rankings);
  const crd__metric_answer answer = crd__metric_evidence_answer(e, metric);
  return (crd_metric_value){
    .metric = &metric->info,
    .value = answer.value,
    .reason = answer.reason,
    .low = (double)NAN,
    .high = (double)NAN,
    .noise_floor = metric->noise_floor && facts.cells ? metric->noise_floor(&facts) : (double)NAN,
    .p = metric->p && crd__metric_rows_independent(e) && !isnan(answer.value)
             ? metric->p(&facts, e->seed)
             : (double)NAN
  };
}

/* The reliability diagram is not a metric, but reads a tally like one. */
static const crd__metric diagram = { .tally = &crd__metric_top_bins };

static crd_reliability_bin draw_bin(const crd_evidence *e, size_t index) {
  const crd__metric_facts facts = crd__metric_evidence_facts(e, &diagram, 0, NULL);
  const crd__metric_top_bin bin = crd__metric_top_bin_at(facts.cells, index);
  const double bins = (double)e->shape.bins;
  const bool empty = !(bin.weight > 0);
  const crd__evaluate_range nothing = { (double)NAN, (double)NAN };
  const crd__evaluate_range accuracy =
      empty ? nothing : crd__evaluate_share_interval(bin.accuracy, (double)bin.rows);
  const crd__evaluate_range calibrated =
      empty ? nothing : crd__evaluate_calibrated_range(bin.confidence, bin.rows);
  return (crd_reliability_bin){ .low = (double)index / bins,
                                .high = (double)(index + 1) / bins,
                                .rows = bin.rows,
                                .weight = bin.weight / facts.weight,
                                .confidence = empty ? (double)NAN : bin.confidence,
                                .accuracy = empty ? (double)NAN : bin.accuracy,
                                .accuracy_low = accuracy.low,
                                .accuracy_high = accuracy.high,
                                .calibrated_low = calibrated.low,
                                .calibrated_high = calibrated.high };
}

static crd_status keep_notes(crd_context *ctx, const crd_evidence *e, crd__evaluate_result *t) {
  for (size_t i = 0; i < e->notes.count; i++)
    CRD_TRY(crd__notes_add(ctx, crd__arena_allocator(t), &t->notes, "%s", e->notes.items[i]));
  if (e->floored > 0)
    CRD_TRY(crd__notes_add(ctx, crd__arena_allocator(t), &t->notes,
                           "%llu row%s the true class a probability of 0: nll counts 1e-300 "
                           "(690.8) for each; logits would be more precise",
                           (unsigned long long)e->floored, e->floored == 1 ? " gives" : "s give"));
  for (size_t m = 0; *e->recalibration && m < e->plan.metric_count; m++) {
    if (!e->plan.metrics[m]->info.recalibrated) continue;
    CRD_TRY(crd__notes_add(ctx, crd__arena_allocator(t), &t->notes, "%s", e->recalibration));
    break;
  }
  return crd__evaluate_cluster_notes_of_result(ctx, e, crd__arena_allocator(t), &t->notes);
}

/* Notes metrics without an interval, since their sums would need too much memory in all resamples.
 */
static crd_status note_bare(crd_context *ctx, const crd_evidence *e, crd__evaluate_result *t) {
  for (size_t m = 0; e->resamples > 0 && m < e->plan.metric_count; m++) {
    const crd__metric *const metric = e->plan.metrics[m];
    if (!metric->tally || !crd__metric_evidence_cells(e, e->cells, 0, metric->tally) ||
        crd__metric_evidence_cells(e, e->cells, 1, metric->tally))
      continue;
    CRD_TRY(crd__notes_add(ctx, crd__arena_allocator(t), &t->notes,
                           "%s has no interval: the bins of %zu classes in %zu resamples would "
                           "need too much memory",
                           metric->info.name, e->shape.classes, e->resamples));
  }
  return CRD_OK;
}

static crd_status fill(crd_context *ctx, crd_evidence *e, crd__evaluate_result *t) {
  const size_t count = e->plan.metric_count, bins = e->shape.ranking ? 0 : e->shape.bins;
  const char *name, *cluster;
  CRD_TRY(crd__arena_add(ctx, t, count, sizeof *t->values, "results", &t->values));
  CRD_TRY(crd__arena_add(ctx, t, bins, sizeof *t->bins, "results", &t->bins));
  CRD_TRY(crd__arena_text(ctx, t, e->name, &name));
  CRD_TRY(crd__arena_text(ctx, t, e->kind.cluster, &cluster));
  CRD_TRY(keep_notes(ctx, e, t));
  CRD_TRY(note_bare(ctx, e, t));
  for (size_t i = 0; i < count; i++) t->values[i] = finish(e, e->plan.metrics[i]);
  CRD_TRY(crd__evaluate_intervals(ctx, e, e->interval, t->values));
  for (size_t m = 0; m < bins; m++) t->bins[m] = draw_bin(e, m);
  t->shown = (crd_result){ .name = name,
                           .rows = (size_t)e->rows,
                           .classes = e->shape.classes,
                           .input = e->kind.input,
                           .binary = e->kind.binary,
                           .weighted = e->kind.weighted,
                           .resamples = (unsigned)e->resamples,
                           .interval = e->interval,
                           .cluster = cluster,
                           .clusters = e->clusters.count,
                           .value_count = count,
                           .values = t->values,
                           .bin_count = bins,
                           .bins = t->bins,
                           .note_count = t->notes.count,
                           .notes = (const char *const *)t->notes.items };
  return CRD_OK;
}

crd_status crd__evaluate_judge(crd_context *ctx, crd_evidence *evidence,
                               crd__evaluate_result **out) {
  *out = NULL;
  if (evidence->rows == 0)
    return crd__fail(ctx, CRD_EUSAGE, "evidence has no rows: nothing to evaluate");
  if (!(crd__metric_evidence_facts(evidence, &diagram, 0, NULL).weight > 0))
    return crd__fail(ctx, CRD_EINPUT, "%s: all weights are 0", evidence->name);
  crd__evaluate_result *t;
  CRD_TRY(crd__arena_new(ctx, sizeof *t, "results", &t));
  crd_status status = crd__metric_evidence_sort(ctx, evidence);
  if (status == CRD_OK) status = fill(ctx, evidence, t);
  if (status == CRD_OK) *out = t;
  else crd__arena_free(t);
  return status;
}

crd_status crd_evidence_judge(crd_context *ctx, crd_evidence *evidence, const crd_result **out) {
  crd__evaluate_result *t;
  const crd_status status = crd__evaluate_judge(ctx, evidence, &t);
  *out = t ? &t->shown : NULL;
  return status;
}

/* Resampling reads every score once per resample: beyond this many reads there are fewer resamples.
 */
static const double readings_max = 1e10;

static unsigned affordable(const crd_predictions *predictions, unsigned resamples) {
  const size_t classes = crd_predictions_classes(predictions);
  const double scores = (double)crd_predictions_rows(predictions) * (double)(classes ? classes : 1);
  return scores * resamples > readings_max ? (unsigned)(readings_max / scores) : resamples;
}

/* Names the default metrics for the probability of class 1. */
static crd_status name_positive(crd_context *ctx, crd__text *out) {
  for (size_t i = 0; i < crd_metric_count(); i++)
    if (crd_metric_at(i)->standard)
      crd__text_addf(out, "%s%s", out->length ? "," : "", crd_metric_at(i)->name);
  return crd__text_status(ctx, out);
}

crd_status crd_evidence_gather(crd_context *ctx, const crd_predictions *predictions,
                               const crd_evaluate_options *options, uint64_t first_row,
                               crd_evidence **out) {
  crd_evaluate_options chosen;
  crd_evidence *evidence = NULL;
  *out = NULL;
  CRD_TRY(CRD_READ_OPTIONS(ctx, crd_evaluate_options, options, &chosen));
  CRD_TRY(crd__metric_options_check(ctx, &chosen)); /* before resamples are lowered */
  const unsigned asked = chosen.resamples;
  crd__text names;
  crd_status status = CRD_OK;
  chosen.resamples = affordable(predictions, asked);
  crd__text_init(&names, &ctx->alloc);
  if (!chosen.metrics && predictions->classes == 2 && predictions->parts.binary == CRD_BINARY_POS) {
    status = name_positive(ctx, &names);
    chosen.metrics = names.bytes;
  }
  if (status == CRD_OK) status = crd_evidence_create(ctx, &chosen, &evidence);
  crd__text_clear(&names);
  if (status == CRD_OK && chosen.resamples < asked)
    status = crd__notes_add(ctx, &evidence->alloc, &evidence->notes,
                            "%u resamples instead of %u, because of the number of rows and "
                            "classes: intervals are rough",
                            chosen.resamples, asked);
  if (status == CRD_OK) status = crd_evidence_add(ctx, evidence, predictions, first_row);
  if (status == CRD_OK) *out = evidence;
  else crd_evidence_destroy(evidence);
  return status;
}

crd_status crd_evaluate(crd_context *ctx, const crd_predictions *predictions,
                        const crd_evaluate_options *options, const crd_result **out) {
  crd_evidence *evidence = NULL;
  *out = NULL;
  crd_status status = crd_evidence_gather(ctx, predictions, options, 0, &evidence);
  if (status == CRD_OK) status = crd_evidence_judge(ctx, evidence, out);
  crd_evidence_destroy(evidence);
  return status;
}

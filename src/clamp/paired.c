/*
 * paired.c -- metrics of the predicted class alone, and their differences on the same rows.
 *
 * Intervals are those of crd_evidence_compare: the percentiles of a paired bootstrap, which draws
 * the same rows, or groups, for both sides; and for the accuracy of independent rows without
 * weights Tango's (Statistics in Medicine 1998), from the rows that only one side predicts
 * correctly, which takes no resamples.
 */
#include "clamp/paired.h"
#include "base/memory.h"
#include "clamp/units.h"
#include "credence/evaluate.h"
#include "evaluate/bin_range.h"

#include <math.h>
#include <string.h>

enum { RESAMPLES = 1000 };

/* ---- Predicted classes. */

crd_status crd__clamp_tops_make(crd_context *ctx, size_t rows, crd__clamp_tops *out) {
  *out = (crd__clamp_tops){ 0 };
  CRD_TRY(crd__new(ctx, rows, sizeof(double), "confidences", &out->confidence));
  return crd__new(ctx, rows, sizeof(int64_t), "marks of correctness", &out->correct);
}

void crd__clamp_tops_clear(const crd_allocator *alloc, crd__clamp_tops *tops) {
  crd__free(alloc, tops->confidence);
  crd__free(alloc, tops->correct);
  *tops = (crd__clamp_tops){ 0 };
}

void crd__clamp_tops_fill(const crd__clamp_pass *pass, const float *logits, double temperature,
                          size_t first, crd__clamp_tops *tops) {
  for (size_t i = 0; i < pass->rows; i++) {
    const float *const z = logits + i * pass->classes;
    size_t top = 0;
    double mass = 0;
    for (size_t k = 1; k < pass->classes; k++) top = z[k] > z[top] ? k : top;
    for (size_t k = 0; k < pass->classes; k++) mass += exp(((double)z[k] - z[top]) / temperature);
    tops->confidence[first + i] = 1 / mass;
    tops->correct[first + i] = top == (size_t)pass->labels[i];
  }
}

/* ---- Rows. */

crd_status crd__clamp_rows_make(crd_context *ctx, size_t count, const crd_dataset *data,
                                crd__clamp_rows *out) {
  const crd_dataset_shape *const shape = crd_dataset_describe(data);
  *out = (crd__clamp_rows){ .count = count };
  if (shape->has_weights)
    CRD_TRY(crd__new(ctx, count, sizeof *out->weights, "weights", &out->weights));
  if (shape->has_groups) CRD_TRY(crd__new(ctx, count, sizeof *out->units, "groups", &out->units));
  return CRD_OK;
}

crd_status crd__clamp_rows_fill(crd_context *ctx, const crd_dataset *data, size_t first,
                                int64_t *units, crd__clamp_rows *rows) {
  const size_t count = crd_dataset_describe(data)->rows;
  for (size_t i = 0; rows->weights && i < count; i++)
    rows->weights[first + i] = crd_dataset_weight(data, i);
  return rows->units ? crd__clamp_units(ctx, data, *units, rows->units + first, units) : CRD_OK;
}

void crd__clamp_rows_clear(const crd_allocator *alloc, crd__clamp_rows *rows) {
  crd__free(alloc, rows->weights);
  crd__free(alloc, rows->units);
  *rows = (crd__clamp_rows){ 0 };
}

/* ---- Metrics. */

static crd_status wrap(crd_context *ctx, const crd__clamp_rows *rows, const crd__clamp_tops *tops,
                       crd_predictions **out) {
  const crd_predictions_parts parts = {
    .size = sizeof parts,
    .scores = crd_array_matrix(tops->confidence, CRD_F64, rows->count, 1),
    .correct = crd_array_matrix(tops->correct, CRD_I64, rows->count, 1),
    .weights = crd_array_matrix(rows->weights, CRD_F64, rows->count, 1),
    .groups = crd_array_matrix(rows->units, CRD_I64, rows->count, 1),
    .cluster = rows->units ? "groups" : "none",
    .input = CRD_INPUT_PAIRS,
    .trusted = 1,
    .name = "the calibration data",
  };
  return crd_predictions_create(ctx, &parts, out);
}

crd_status crd__clamp_ece(crd_context *ctx, const crd__clamp_rows *rows,
                          const crd__clamp_tops *tops, double *ece) {
  const crd_evaluate_options options = { .size = sizeof options, .metrics = "ece", .bins = 15 };
  crd_predictions *predictions;
  const crd_result *result = NULL;
  CRD_TRY(wrap(ctx, rows, tops, &predictions));
  const crd_status status = crd_evaluate(ctx, predictions, &options, &result);
  if (status == CRD_OK) *ece = crd_result_value(result, "ece")->value;
  crd_result_destroy(result);
  crd_predictions_destroy(predictions);
  return status;
}

static crd_status gather(crd_context *ctx, const char *metric, const crd__clamp_rows *rows,
                         const crd__clamp_tops *tops, crd_evidence **out) {
  const crd_evaluate_options options = {
    .size = sizeof options, .metrics = metric, .bins = 15, .resamples = RESAMPLES, .paired = 1
  };
  crd_predictions *predictions;
  *out = NULL;
  CRD_TRY(wrap(ctx, rows, tops, &predictions));
  const crd_status status = crd_evidence_gather(ctx, predictions, &options, 0, out);
  crd_predictions_destroy(predictions);
  return status;
}

static crd_clamp_change compare_hits(const crd__clamp_tops *before, const crd__clamp_tops *after,
                                     size_t rows) {
  size_t lost = 0, gained = 0;
  for (size_t i = 0; i < rows; i++) {
    lost += before->correct[i] > after->correct[i];
    gained += before->correct[i] < after->correct[i];
  }
  const crd__evaluate_range range =
      crd__evaluate_share_difference_interval((double)gained, (double)lost, (double)rows);
  return (crd_clamp_change){ .value = ((double)gained - (double)lost) / (double)rows,
                             .low = range.low,
                             .high = range.high };
}

crd_status crd__clamp_difference(crd_context *ctx, const char *metric, const crd__clamp_rows *rows,
                                 const crd__clamp_tops *before, const crd__clamp_tops *after,
                                 crd_clamp_change *out) {
  crd_evidence *one = NULL, *other = NULL;
  const crd_comparison *comparison = NULL;
  if (!rows->weights && !rows->units && strcmp(metric, "accuracy") == 0) {
    *out = compare_hits(before, after, rows->count);
    return CRD_OK;
  }
  crd_status status = gather(ctx, metric, rows, before, &one);
  if (status == CRD_OK) status = gather(ctx, metric, rows, after, &other);
  if (status == CRD_OK) status = crd_evidence_compare(ctx, one, other, &comparison);
  if (status == CRD_OK)
    *out = (crd_clamp_change){ .value = comparison->items[0].value,
                               .low = comparison->items[0].low,
                               .high = comparison->items[0].high };
  crd_comparison_destroy(comparison);
  crd_evidence_destroy(one);
  crd_evidence_destroy(other);
  return status;
}

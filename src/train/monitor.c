/* monitor.c -- evaluates a model on labelled data (monitor.h). */
#include "train/monitor.h"
#include "base/memory.h"
#include "credence/calibrator.h"
#include "credence/evaluate.h"
#include "io/write.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const usual[CRD__TRAIN_METRICS] = { "accuracy", "ece",   "nll",
                                                       "brier",    "auroc", "nll-refinement" };
static const char *const oracles[CRD__TRAIN_ORACLES] = { "temperature", "ece_oracle_t" };

/* ---- Names. */

static size_t find_usual(const char *name) {
  size_t i = 0;
  while (i < CRD__TRAIN_METRICS && strcmp(usual[i], name) != 0) i++;
  return i;
}

crd_status crd__train_metrics_make(crd_context *ctx, const char *best, crd__train_metrics *out) {
  crd_evidence *evidence;
  *out = (crd__train_metrics){ 0 };
  if (!best) return CRD_OK;
  /* The room of metrics knows the nearest name. */
  CRD_TRY(crd_evidence_create(
      ctx, &(crd_evaluate_options){ .size = sizeof(crd_evaluate_options), .metrics = best },
      &evidence));
  crd_evidence_destroy(evidence);
  const crd_metric_info *const info = crd_metric_find(best);
  if (!info || info->direction == CRD_NEITHER_IS_BETTER)
    return crd__fail(ctx, CRD_EUSAGE,
                     "%s is '%.60s', allowed is one metric of which higher or lower is better",
                     crd__spell(ctx, "best"), best);
  if (find_usual(best) == CRD__TRAIN_METRICS) out->best = info->name;
  return CRD_OK;
}

size_t crd__train_metrics_count(const crd__train_metrics *metrics) {
  return CRD__TRAIN_METRICS + (metrics->best != NULL) + CRD__TRAIN_ORACLES;
}

size_t crd__train_metrics_find(const crd__train_metrics *metrics, const char *best) {
  (void)metrics; /* a further metric follows the usual ones */
  return find_usual(best);
}

static void add_name(crd__text *text, const char *name, const char *metric) {
  crd__text_addf(text, "%s.%s", name, metric);
  crd__text_add_bytes(text, "", 1);
}

void crd__train_metrics_names(const crd__train_metrics *metrics, const char *name,
                              crd__text *text) {
  for (size_t i = 0; i < CRD__TRAIN_METRICS; i++) add_name(text, name, usual[i]);
  if (metrics->best) add_name(text, name, metrics->best);
  for (size_t i = 0; i < CRD__TRAIN_ORACLES; i++) add_name(text, name, oracles[i]);
}

/* ---- Values. */

/* Labels and weights as the predictions take them, and indices of samples. */
typedef struct {
  int64_t *labels, *indices;
  double *weights; /* NULL: all 1 */
} columns;

static crd_status take_columns(crd_context *ctx, const crd_dataset *data, columns *out) {
  const crd_dataset_shape *const shape = crd_dataset_describe(data);
  CRD_TRY(crd__new(ctx, shape->rows, sizeof *out->labels, "labels", &out->labels));
  CRD_TRY(crd__new(ctx, shape->rows, sizeof *out->indices, "indices", &out->indices));
  if (shape->has_weights)
    CRD_TRY(crd__new(ctx, shape->rows, sizeof *out->weights, "weights", &out->weights));
  for (size_t i = 0; i < shape->rows; i++) {
    const int64_t label = crd_dataset_label(data, i);
    out->labels[i] = label < 0 ? CRD_IGNORE_LABEL : label;
    out->indices[i] = (int64_t)crd_dataset_index(data, i);
    if (out->weights) out->weights[i] = crd_dataset_weight(data, i);
  }
  return CRD_OK;
}

static void clear_columns(const crd_allocator *alloc, const columns *c) {
  crd__free(alloc, c->labels);
  crd__free(alloc, c->indices);
  crd__free(alloc, c->weights);
}

crd_status crd__train_logits_write(crd_context *ctx, const crd_dataset *data, const float *logits,
                                   const char *folder, const char *name, size_t epoch) {
  const crd_dataset_shape *const shape = crd_dataset_describe(data);
  char path[4096];
  columns c = { 0 };
  const int length = snprintf(path, sizeof path, "%s/%s-%04zu.npz", folder, name, epoch);
  if (length < 0 || (size_t)length >= sizeof path)
    return crd__fail(ctx, CRD_EUSAGE, "%.200s: the name is too long", folder);
  crd_status status = take_columns(ctx, data, &c);
  const crd__io_array arrays[] = {
    { .name = "logits", .view = crd_array_matrix(logits, CRD_F32, shape->rows, shape->classes) },
    { .name = "labels", .view = crd_array_matrix(c.labels, CRD_I64, shape->rows, 1) },
    { .name = "indices", .view = crd_array_matrix(c.indices, CRD_I64, shape->rows, 1) },
    { .name = "weights", .view = crd_array_matrix(c.weights, CRD_F64, shape->rows, 1) }
  };
  if (status == CRD_OK) status = crd__io_bundle_write(ctx, path, arrays, c.weights ? 4 : 3);
  clear_columns(&ctx->alloc, &c);
  return status;
}

static crd_status evaluate(crd_context *ctx, const crd__train_metrics *metrics,
                           const crd_predictions *predictions, double *values) {
  const size_t count = CRD__TRAIN_METRICS + (metrics->best != NULL);
  crd__text names;
  const crd_result *result = NULL;
  crd__text_init(&names, &ctx->alloc);
  for (size_t i = 0; i < count; i++)
    crd__text_addf(&names, "%s%s", i ? "," : "", i < CRD__TRAIN_METRICS ? usual[i] : metrics->best);
  crd_status status = crd__text_status(ctx, &names);
  const crd_evaluate_options options = { .size = sizeof options, .metrics = names.bytes };
  if (status == CRD_OK) status = crd_evaluate(ctx, predictions, &options, &result);
  for (size_t i = 0; status == CRD_OK && i < count; i++)
    values[i] = crd_result_value(result, i < CRD__TRAIN_METRICS ? usual[i] : metrics->best)->value;
  crd_result_destroy(result);
  crd__text_clear(&names);
  return status;
}

static crd_status evaluate_ece(crd_context *ctx, const crd_predictions *predictions, double *ece) {
  const crd_result *result;
  const crd_evaluate_options options = { .size = sizeof options, .metrics = "ece" };
  CRD_TRY(crd_evaluate(ctx, predictions, &options, &result));
  *ece = crd_result_value(result, "ece")->value;
  crd_result_destroy(result);
  return CRD_OK;
}

static crd_status scale(crd_context *ctx, const crd_predictions *predictions, double *values) {
  crd_calibrator *calibrator;
  crd_predictions *scaled = NULL;
  CRD_TRY(crd_calibrator_fit(ctx, "temperature", NULL, predictions, &calibrator));
  values[0] = crd_calibrator_learnt(calibrator, 0)->values[0];
  crd_status status = crd_calibrator_calibrate(ctx, calibrator, predictions, &scaled);
  if (status == CRD_OK) status = evaluate_ece(ctx, scaled, &values[1]);
  crd_predictions_destroy(scaled);
  crd_calibrator_destroy(calibrator);
  return status;
}

/* Data without a best temperature (one class only, say) is no failure of the run. */
static crd_status add_oracles(crd_context *ctx, const crd_predictions *predictions,
                              double *values) {
  values[0] = values[1] = (double)NAN;
  const crd_status status = scale(ctx, predictions, values);
  return status == CRD_EINPUT || status == CRD_ENUMERIC ? CRD_OK : status;
}

crd_status crd__train_metrics_compute(crd_context *ctx, const crd__train_metrics *metrics,
                                      const crd_dataset *data, const float *logits,
                                      double *values) {
  const crd_dataset_shape *const shape = crd_dataset_describe(data);
  columns c = { 0 };
  crd_predictions *predictions = NULL;
  crd_status status = take_columns(ctx, data, &c);
  const crd_predictions_parts parts = {
    .size = sizeof parts,
    .scores = crd_array_matrix(logits, CRD_F32, shape->rows, shape->classes),
    .labels = crd_array_matrix(c.labels, CRD_I64, shape->rows, 1),
    .weights = crd_array_matrix(c.weights, CRD_F64, shape->rows, 1),
    .input = CRD_INPUT_LOGITS,
    .trusted = 1,
    .name = shape->name
  };
  if (status == CRD_OK) status = crd_predictions_create(ctx, &parts, &predictions);
  if (status == CRD_OK) status = crd_predictions_recalibrate(ctx, predictions, NULL);
  if (status == CRD_OK) status = evaluate(ctx, metrics, predictions, values);
  if (status == CRD_OK)
    status = add_oracles(ctx, predictions, values + CRD__TRAIN_METRICS + (metrics->best != NULL));
  crd_predictions_destroy(predictions);
  clear_columns(&ctx->alloc, &c);
  return status;
}

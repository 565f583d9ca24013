/*
 * confidnet_step.c -- steps of Adam on the head, and its confidences.
 *
 * The head has no statistics of batches: an incomplete last batch is padded with its last row,
 * whose gradient is set to 0, and the same compiled network serves every step and evaluation.
 */
#include "base/memory.h"
#include "base/settings.h"
#include "credence/evaluate.h"
#include "refine/confidnet.h"

#include <math.h>
#include <string.h>

/* ---- The network. */

static crd_status compile(crd_context *ctx, const crd__refine_head *head, const float *values,
                          size_t batch, crd_network **out) {
  const crd_compile_options how = {
    .size = sizeof how, .batch = batch, .mode = CRD_MODE_TRAINING, .parameters_only = 1
  };
  crd_model *model;
  CRD_TRY(crd__refine_head_model(ctx, head, values, &model));
  const crd_status status = crd_network_compile(ctx, model, &how, out);
  crd_model_destroy(model);
  return status;
}

crd_status crd__refine_stage_make(crd_context *ctx, const crd__refine_head *head,
                                  const float *values, size_t batch, crd__refine_stage *out) {
  *out = (crd__refine_stage){ .batch = batch };
  CRD_TRY(compile(ctx, head, values, batch, &out->network));
  CRD_TRY(crd__train_parameters_make(ctx, out->network, CRD_DECAY_WEIGHTS,
                                     &crd__train_optimiser_adam, &out->parameters));
  CRD_TRY(crd__new(ctx, batch, head->sizes[0] * sizeof(float), "a batch", &out->input));
  CRD_TRY(crd__new(ctx, batch, sizeof *out->gradient, "gradients", &out->gradient));
  CRD_TRY(crd__new(ctx, batch, sizeof *out->p, "a batch", &out->p));
  return crd__new(ctx, batch, sizeof *out->f, "a batch", &out->f);
}

void crd__refine_stage_clear(const crd_allocator *alloc, crd__refine_stage *stage) {
  crd__train_parameters_clear(alloc, &stage->parameters);
  crd_network_destroy(stage->network);
  crd__free(alloc, stage->input);
  crd__free(alloc, stage->gradient);
  crd__free(alloc, stage->p);
  crd__free(alloc, stage->f);
  *stage = (crd__refine_stage){ 0 };
}

/* ---- A batch. */

/* Runs rows order[0 .. count), or from .. from+count-1 without an order; *out is v. */
static crd_status run(crd_context *ctx, const crd__refine_stage *s, const crd__refine_rows *rows,
                      const size_t *order, size_t from, size_t count, const float **out) {
  const size_t width = rows->features;
  for (size_t i = 0; i < s->batch; i++) {
    const size_t at = i < count ? i : count - 1, row = order ? order[at] : from + at;
    memcpy(s->input + i * width, rows->x + row * width, width * sizeof *s->input);
    s->p[i] = rows->tcp[row];
    s->f[i] = rows->factors[row];
  }
  crd_array input = *crd_network_input(s->network, 0);
  input.data = s->input;
  CRD_TRY(crd_network_run(ctx, s->network, &input, 1));
  *out = crd_network_output(s->network, 0)->data;
  return CRD_OK;
}

/* Adam's settings: its own standard values, but for the rate and the weight decay. */
static crd_status adam(crd_context *ctx, const crd__refine_settings *settings, double *values) {
  const crd_training_part_info *const info = &crd__train_optimiser_adam.info;
  const crd__setting_table table = { info->name, info->setting_count, info->settings };
  CRD_TRY(crd__settings_standard(ctx, &table, values, NULL));
  values[CRD__TRAIN_RATE] = settings->rate;
  values[CRD__TRAIN_DECAY] = settings->weight_decay;
  return CRD_OK;
}

static crd_status diverged(crd_context *ctx, const crd__refine_stage *s, const char *what) {
  return crd__fail(ctx, CRD_ENUMERIC,
                   "training diverged in step %llu: %s is not finite; try a smaller rate",
                   (unsigned long long)s->steps + 1, what);
}

crd_status crd__refine_step(crd_context *ctx, crd__refine_stage *stage,
                            const crd__refine_settings *settings, const crd__refine_rows *rows,
                            const size_t *order, size_t count, double *sum) {
  enum { SETTINGS = 8 };
  double values[SETTINGS], norm;
  const float *v;
  CRD_TRY(adam(ctx, settings, values));
  CRD_TRY(run(ctx, stage, rows, order, 0, count, &v));
  const double loss = crd__refine_loss(v, stage->p, stage->f, count, stage->gradient);
  if (!isfinite(loss)) return diverged(ctx, stage, "the loss");
  for (size_t i = count; i < stage->batch; i++) stage->gradient[i] = 0;
  crd_array gradient = *crd_network_output(stage->network, 0);
  gradient.data = stage->gradient;
  crd_network_clear_gradients(stage->network);
  CRD_TRY(crd_network_backward(ctx, stage->network, &gradient));
  CRD_TRY(crd__train_parameters_norm(ctx, &stage->parameters, &norm));
  if (!isfinite(norm)) return diverged(ctx, stage, "the gradient");
  const crd__train_update update = { .settings = values,
                                     .rate = settings->rate,
                                     .step = ++stage->steps,
                                     .decay = settings->weight_decay,
                                     .scale = 1 };
  crd__train_parameters_step(&stage->parameters, &crd__train_optimiser_adam, &update, ctx->threads);
  *sum += loss;
  return CRD_OK;
}

/* ---- All rows. */

crd_status crd__refine_confidences(crd_context *ctx, crd__refine_stage *stage,
                                   const crd__refine_rows *rows, float *out, double *loss) {
  double sum = 0;
  for (size_t from = 0; from < rows->rows; from += stage->batch) {
    const size_t left = rows->rows - from, count = left < stage->batch ? left : stage->batch;
    const float *v;
    CRD_TRY(run(ctx, stage, rows, NULL, from, count, &v));
    sum += crd__refine_loss(v, stage->p, stage->f, count, NULL);
    for (size_t i = 0; i < count; i++) out[from + i] = (float)crd__refine_sigmoid((double)v[i]);
  }
  *loss = sum / (double)rows->rows;
  return isfinite(*loss) ? CRD_OK : diverged(ctx, stage, "the loss of the validation data");
}

static double value_of(const crd_result *result, const char *metric) {
  return crd_result_value(result, metric)->value;
}

crd_status crd__refine_quality(crd_context *ctx, const crd__refine_rows *rows,
                               const float *confidences, crd_confidnet_quality *out) {
  const crd_evaluate_options options = { .size = sizeof options,
                                         .metrics = "aupr-error,auroc,ece,brier-top1" };
  const crd_predictions_parts parts = {
    .size = sizeof parts,
    .scores = crd_array_matrix(confidences, CRD_F32, rows->rows, 1),
    .correct = crd_array_matrix(rows->correct, CRD_I64, rows->rows, 1),
    .weights = crd_array_matrix(rows->weights, CRD_F64, rows->rows, 1),
    .input = CRD_INPUT_PAIRS,
    .trusted = 1,
    .name = "the validation data",
  };
  crd_predictions *predictions;
  const crd_result *result = NULL;
  CRD_TRY(crd_predictions_create(ctx, &parts, &predictions));
  const crd_status status = crd_evaluate(ctx, predictions, &options, &result);
  if (status == CRD_OK)
    *out = (crd_confidnet_quality){ .aupr_error = value_of(result, "aupr-error"),
                                    .auroc = value_of(result, "auroc"),
                                    .ece = value_of(result, "ece"),
                                    .brier_top1 = value_of(result, "brier-top1") };
  crd_result_destroy(result);
  crd_predictions_destroy(predictions);
  return status;
}

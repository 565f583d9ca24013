/*
 * temperature.c -- everything that depends on logits and a temperature only: no network is run.
 */
#include "clamp/temperature.h"
#include "base/memory.h"
#include "base/number.h"
#include "credence/calibrator.h"
#include "credence/evaluate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static crd_status wrap(crd_context *ctx, const crd__clamp_pass *p, const void *scores,
                       crd_dtype dtype, crd_predictions **out) {
  const crd_predictions_parts parts = { .size = sizeof parts,
                                        .scores =
                                            crd_array_matrix(scores, dtype, p->rows, p->classes),
                                        .labels = crd_array_matrix(p->labels, CRD_I64, p->rows, 1),
                                        .weights =
                                            crd_array_matrix(p->weights, CRD_F64, p->rows, 1),
                                        .input = CRD_INPUT_LOGITS,
                                        .trusted = 1,
                                        .name = crd_dataset_describe(p->data)->name };
  return crd_predictions_create(ctx, &parts, out);
}

crd_status crd__clamp_make_loss(crd_context *ctx, double gamma, crd_loss **out) {
  const crd_loss_options options = { .size = sizeof options, .reduction = CRD_REDUCTION_SUM };
  char number[CRD__NUMBER_SIZE], text[64];
  snprintf(text, sizeof text, "focal(gamma=%s)", crd__number_format(number, gamma));
  return crd_loss_create(ctx, gamma > 0 ? text : "ce", &options, out);
}

crd_status crd__clamp_temperature(crd_context *ctx, const crd__clamp_pass *pass, double gamma,
                                  double *temperature) {
  char number[64], settings[80];
  crd_predictions *predictions;
  crd_calibrator *calibrator = NULL;
  snprintf(settings, sizeof settings, "gamma=%s", crd__number_format(number, gamma));
  CRD_TRY(wrap(ctx, pass, pass->logits, CRD_F32, &predictions));
  const crd_status status =
      crd_calibrator_fit(ctx, gamma > 0 ? "temperature-focal" : "temperature",
                         gamma > 0 ? settings : NULL, predictions, &calibrator);
  if (status == CRD_OK) *temperature = crd_calibrator_learnt(calibrator, 0)->values[0];
  crd_calibrator_destroy(calibrator);
  crd_predictions_destroy(predictions);
  return status;
}

crd_status crd__clamp_loss(crd_context *ctx, const crd__clamp_pass *pass, double temperature,
                           double *value) {
  double sum = 0;
  for (size_t first = 0; first < pass->rows; first += pass->batch) {
    const size_t left = pass->rows - first, rows = left < pass->batch ? left : pass->batch;
    crd_loss_value found;
    for (size_t i = 0; i < rows * pass->classes; i++)
      pass->scaled[i] = pass->logits[first * pass->classes + i] / temperature;
    const crd_array scaled = crd_array_matrix(pass->scaled, CRD_F64, rows, pass->classes);
    const crd_targets targets = {
      .size = sizeof targets,
      .labels = crd_array_matrix(pass->labels + first, CRD_I64, rows, 1),
      .weights = crd_array_matrix(pass->weights ? pass->weights + first : NULL, CRD_F64, rows, 1)
    };
    CRD_TRY(crd_loss_evaluate(ctx, pass->loss, &scaled, &targets, &found, NULL));
    sum += found.value;
  }
  *value = sum / pass->total;
  return CRD_OK;
}

crd_status crd__clamp_quality(crd_context *ctx, const crd__clamp_pass *pass, double temperature,
                              crd_clamp_quality *out) {
  static const char *const names[] = { "accuracy", "ece", "aece", "sce", "nll", "entropy" };
  double *const values[] = { &out->accuracy, &out->ece, &out->aece,
                             &out->sce,      &out->nll, &out->entropy };
  const crd_evaluate_options options = { .size = sizeof options,
                                         .metrics = "accuracy,ece,aece,sce,nll,entropy" };
  const size_t count = pass->rows * pass->classes;
  double *scaled;
  crd_predictions *predictions = NULL;
  const crd_result *result = NULL;
  CRD_TRY(crd__new(ctx, count, sizeof *scaled, "logits", &scaled));
  for (size_t i = 0; i < count; i++) scaled[i] = pass->logits[i] / temperature;
  crd_status status = wrap(ctx, pass, scaled, CRD_F64, &predictions);
  if (status == CRD_OK) status = crd_evaluate(ctx, predictions, &options, &result);
  for (size_t i = 0; status == CRD_OK && i < sizeof names / sizeof *names; i++)
    *values[i] = crd_result_value(result, names[i])->value;
  crd_result_destroy(result);
  crd_predictions_destroy(predictions);
  crd__free(&ctx->alloc, scaled);
  return status;
}

/* ---- Rows. */

typedef struct {
  double nll;  /* - log q_y */
  double mean; /* q.z */
} row;

static row look(const float *z, size_t classes, size_t label, double temperature) {
  double top = z[0], mass = 0, mean = 0;
  for (size_t k = 1; k < classes; k++) top = fmax(top, z[k]);
  for (size_t k = 0; k < classes; k++) {
    const double e = exp((z[k] - top) / temperature);
    mass += e;
    mean += e * z[k];
  }
  return (row){ .nll = log(mass) - (z[label] - top) / temperature, .mean = mean / mass };
}

void crd__clamp_row_nll(const crd__clamp_pass *pass, double temperature, double *out) {
  for (size_t i = 0; i < pass->rows; i++)
    out[i] =
        look(pass->logits + i * pass->classes, pass->classes, (size_t)pass->labels[i], temperature)
            .nll;
}

double crd__clamp_residual(const crd__clamp_pass *pass, double temperature) {
  double sum = 0;
  for (size_t i = 0; i < pass->rows; i++) {
    const float *const z = pass->logits + i * pass->classes;
    const size_t label = (size_t)pass->labels[i];
    const double weight = pass->weights ? pass->weights[i] : 1;
    sum += weight * (z[label] - look(z, pass->classes, label, temperature).mean);
  }
  return sum / pass->total;
}

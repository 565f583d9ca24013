/* measure.c -- the quality of predictions before a fit, of temperature scaling, and after it. */
#include "base/memory.h"
#include "clamp/fit.h"
#include "clamp/paired.h"
#include "clamp/temperature.h"

#include <math.h>
#include <string.h>
#include <time.h>

double crd__clamp_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Tells what a choice of gamma costs. A pass of a fit is forward and backward, which takes about
 * three times as long as forward alone. */
static void announce(crd_context *ctx, const crd__clamp_fit *f) {
  static const double backward = 3;
  const unsigned lambdas = (CRD__CLAMP_CANDIDATES - 1) * CRD__CLAMP_FOLDS;
  const bool held_out = f->rule == CRD__CLAMP_HELD_OUT;
  const unsigned fits = crd__clamp_select_fits(&f->settings, f->rule) +
                        (held_out && f->automatic ? lambdas : 0) +
                        (held_out && !isinf(f->settings.lambda) ? 1 : 0);
  const double passes = (double)f->meter.total / (double)f->pass.rows;
  if (f->rule == CRD__CLAMP_GIVEN) return;
  crd__log(ctx, CRD_LOG_INFO,
           "gamma by %s ECE: %u fits, at most %.0f passes over %zu rows, at most %.2g minutes as "
           "estimated from the first pass",
           crd__clamp_rule_name(f->rule), fits, passes, f->pass.rows,
           passes * backward * f->pass_seconds / 60);
}

crd_status crd__clamp_measure_scaling(crd_context *ctx, crd__clamp_fit *f, double gamma) {
  crd_clamp_summary *const s = &f->out->summary;
  crd__clamp_pass plain = f->pass;
  double temperature, objective;
  plain.logits = f->plain_logits;
  CRD_TRY(crd__clamp_temperature(ctx, &plain, gamma, &temperature));
  CRD_TRY(crd__clamp_loss(ctx, &plain, temperature, &objective));
  CRD_TRY(crd__clamp_quality(ctx, &plain, temperature, &s->scaled));
  s->scaling = temperature;
  s->temperature_objective = objective;
  return CRD_OK;
}

crd_status crd__clamp_measure_plain(crd_context *ctx, crd__clamp_fit *f) {
  crd_clamp_summary *const s = &f->out->summary;
  f->pass_seconds = crd__clamp_now();
  CRD_TRY(crd__clamp_pass_run(ctx, &f->pass, NULL, 1, NULL, NULL));
  f->pass_seconds = crd__clamp_now() - f->pass_seconds;
  announce(ctx, f);
  memcpy(f->plain_logits, f->pass.logits, f->pass.rows * f->pass.classes * sizeof(float));
  CRD_TRY(crd__clamp_quality(ctx, &f->pass, 1, &s->before));
  CRD_TRY(crd__clamp_loss(ctx, &f->pass, 1, &f->initial_loss));
  CRD_TRY(crd__clamp_measure_scaling(ctx, f, s->gamma));
  s->scaling_seconds = crd__clamp_now() - f->started;
  return CRD_OK;
}

/* Clamped minus uncalibrated, on the same rows. */
static crd_status measure_accuracy(crd_context *ctx, crd__clamp_fit *f) {
  const crd__clamp_pass *const p = &f->pass;
  crd__clamp_rows rows = { 0 };
  crd__clamp_tops before = { 0 }, after = { 0 };
  int64_t units = 0;
  crd_status status = crd__clamp_rows_make(ctx, p->rows, f->data, &rows);
  if (status == CRD_OK) status = crd__clamp_rows_fill(ctx, f->data, 0, &units, &rows);
  if (status == CRD_OK) status = crd__clamp_tops_make(ctx, p->rows, &before);
  if (status == CRD_OK) status = crd__clamp_tops_make(ctx, p->rows, &after);
  if (status == CRD_OK) {
    crd__clamp_tops_fill(p, f->plain_logits, 1, 0, &before);
    crd__clamp_tops_fill(p, p->logits, 1, 0, &after);
    status = crd__clamp_difference(ctx, "accuracy", &rows, &before, &after,
                                   &f->out->summary.accuracy_change);
  }
  crd__clamp_rows_clear(&ctx->alloc, &rows);
  crd__clamp_tops_clear(&ctx->alloc, &before);
  crd__clamp_tops_clear(&ctx->alloc, &after);
  return status;
}

static size_t argmax(const float *row, size_t classes) {
  size_t best = 0;
  for (size_t k = 1; k < classes; k++) best = row[k] > row[best] ? k : best;
  return best;
}

static size_t count_changes(const crd__clamp_fit *f) {
  const size_t classes = f->pass.classes;
  size_t count = 0;
  for (size_t i = 0; i < f->pass.rows; i++)
    count += argmax(f->pass.logits + i * classes, classes) !=
             argmax(f->plain_logits + i * classes, classes);
  return count;
}

crd_status crd__clamp_measure_clamped(crd_context *ctx, crd__clamp_fit *f) {
  crd_clamp_summary *const s = &f->out->summary;
  crd__clamp_pass *const p = &f->pass;
  const double temperature = f->point.temperature;
  double sum = 0;
  CRD_TRY(crd__clamp_pass_run(ctx, p, f->point.delta, 1, NULL, NULL));
  CRD_TRY(crd__clamp_quality(ctx, p, temperature, &s->after));
  CRD_TRY(crd__clamp_quality(ctx, p, 1, &s->only_delta));
  CRD_TRY(crd__clamp_loss(ctx, p, temperature, &s->objective));
  s->objective += crd__clamp_penalty(&f->goal, f->point.delta, p->count);
  s->residual = crd__clamp_residual(p, temperature);
  s->argmax_changes = count_changes(f);
  CRD_TRY(measure_accuracy(ctx, f));
  memcpy(p->logits, f->plain_logits, p->rows * p->classes * sizeof(float));
  CRD_TRY(crd__clamp_quality(ctx, p, temperature, &s->only_temperature));
  for (size_t i = 0; i < p->count; i++) {
    f->out->delta[i] = (float)f->point.delta[i];
    sum += f->point.delta[i] * f->point.delta[i];
  }
  s->delta_norm = sqrt(sum);
  return CRD_OK;
}

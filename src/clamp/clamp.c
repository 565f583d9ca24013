/*
 * clamp.c -- a fit from settings to summary:
 *
 *   1  logits without perturbation: the quality before, and of temperature scaling
 *   2  where delta begins, and the loss there, which lambda is a multiple of
 *   3  lambda, by cross-validation unless it is given
 *   4  delta and T
 *   5  logits with delta: the quality after
 */
#include "clamp/clamp.h"
#include "base/memory.h"
#include "base/number.h"
#include "clamp/minibatch.h"
#include "clamp/start.h"
#include "clamp/temperature.h"
#include "dataset/classes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

typedef struct {
  const crd_clamp_options *options;
  crd__clamp_settings settings;
  crd_network *network;
  const crd_dataset *data;
  crd_dataset *matched; /* the data with the network's classes; NULL: it has them */
  crd_loss *loss;
  crd__clamp_pass pass;
  crd__clamp_meter meter;
  crd__clamp_goal goal;
  crd__clamp_point point;
  float *low, *high;   /* the valid range of each element */
  float *plain_logits; /* logits without perturbation */
  double initial_loss;
  double started;
  crd_clamp *out;
} fit;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- Steps of a fit. */

static crd_status make_loss(crd_context *ctx, fit *f) {
  const crd_loss_options options = { .reduction = CRD_REDUCTION_SUM };
  char number[CRD__NUMBER_SIZE], text[64];
  snprintf(text, sizeof text, "focal(gamma=%s)", crd__number_format(number, f->settings.gamma));
  return crd_loss_create(ctx, f->settings.gamma > 0 ? text : "ce", &options, &f->loss);
}

static crd_status allocate(crd_context *ctx, fit *f) {
  const size_t count = f->pass.count;
  CRD_TRY(crd__new(ctx, count, sizeof(double), "a perturbation", &f->point.delta));
  CRD_TRY(crd__new(ctx, count, sizeof(float), "the valid range", &f->low));
  CRD_TRY(crd__new(ctx, count, sizeof(float), "the valid range", &f->high));
  CRD_TRY(crd__new(ctx, f->pass.rows, f->pass.classes * sizeof(float), "logits", &f->plain_logits));
  crd__clamp_range(&f->settings, f->options->encoding, count, f->low, f->high);
  f->point.temperature = 1;
  if (f->settings.project == 0) return CRD_OK;
  f->pass.low = f->low;
  f->pass.high = f->high;
  return CRD_OK;
}

static void expect_rows(fit *f) {
  const crd__clamp_settings *const s = &f->settings;
  uint64_t passes = 2; /* without perturbation, and at the end */
  if (s->start != CRD__CLAMP_ZERO) passes++;
  if (s->start == CRD__CLAMP_ENTROPY || s->start == CRD__CLAMP_LOGITS) passes++;
  if (s->optimiser != CRD__CLAMP_LBFGS) passes += (uint64_t)s->epochs;
  else if (s->fixed == 0 && !isinf(s->lambda)) passes += (uint64_t)s->passes;
  f->meter.total = passes * f->pass.rows;
  if (s->lambda == CRD__CLAMP_AUTO && s->fixed == 0)
    f->meter.total += crd__clamp_choose_rows(f->data);
  f->pass.meter = &f->meter;
}

static crd_status measure_plain(crd_context *ctx, fit *f) {
  crd_clamp_summary *const s = &f->out->summary;
  CRD_TRY(crd__clamp_pass_run(ctx, &f->pass, NULL, 1, NULL, NULL));
  memcpy(f->plain_logits, f->pass.logits, f->pass.rows * f->pass.classes * sizeof(float));
  CRD_TRY(crd__clamp_quality(ctx, &f->pass, 1, &s->before));
  CRD_TRY(crd__clamp_loss(ctx, &f->pass, 1, &f->initial_loss));
  CRD_TRY(crd__clamp_temperature(ctx, &f->pass, s->gamma, &s->scaling));
  CRD_TRY(crd__clamp_loss(ctx, &f->pass, s->scaling, &s->temperature_objective));
  s->scaling_seconds = now() - f->started;
  return crd__clamp_quality(ctx, &f->pass, s->scaling, &s->scaled);
}

static crd_status begin(crd_context *ctx, fit *f) {
  crd_clamp_summary *const s = &f->out->summary;
  crd_clamp_quality there;
  s->measured_gain = (double)NAN;
  CRD_TRY(crd__clamp_begin(ctx, &f->pass, &f->settings, f->low, f->high, f->point.delta,
                           &s->predicted_gain));
  if (f->settings.start == CRD__CLAMP_ZERO) return CRD_OK;
  CRD_TRY(crd__clamp_pass_run(ctx, &f->pass, f->point.delta, 1, NULL, NULL));
  CRD_TRY(crd__clamp_loss(ctx, &f->pass, 1, &f->initial_loss));
  if (isnan(s->predicted_gain)) return CRD_OK;
  CRD_TRY(crd__clamp_quality(ctx, &f->pass, 1, &there));
  s->measured_gain = there.entropy - s->before.entropy;
  return CRD_OK;
}

static crd_status choose(crd_context *ctx, fit *f) {
  crd__clamp_settings *const s = &f->settings;
  const crd__clamp_contest contest = { .network = f->network,
                                       .encoding = f->options->encoding,
                                       .loss = f->loss,
                                       .low = f->pass.low,
                                       .high = f->pass.high,
                                       .goal = f->goal,
                                       .initial_loss = f->initial_loss,
                                       .meter = &f->meter };
  if (s->lambda != CRD__CLAMP_AUTO) return CRD_OK;
  if (s->fixed > 0) {
    s->lambda = 0; /* nothing depends on it */
    return CRD_OK;
  }
  const crd_status status =
      crd__clamp_choose(ctx, &contest, f->data, f->out->candidates, &s->lambda);
  if (status == CRD_OK) f->out->summary.candidate_count = CRD__CLAMP_CANDIDATES;
  return status;
}

static void forget_delta(fit *f) {
  memset(f->point.delta, 0, f->pass.count * sizeof(double));
  f->point.temperature = f->out->summary.scaling;
}

static crd_status minimise(crd_context *ctx, fit *f) {
  const crd__clamp_settings *const s = &f->settings;
  if (s->fixed > 0) /* delta stays at its start: so do the logits */
    return crd__clamp_temperature(ctx, &f->pass, s->gamma, &f->point.temperature);
  if (isinf(s->lambda)) {
    forget_delta(f);
    f->point.converged = true;
    return CRD_OK;
  }
  if (s->optimiser != CRD__CLAMP_LBFGS)
    return crd__clamp_minibatch(ctx, &f->pass, s, &f->goal, f->options, &f->point);
  f->point.temperature = f->out->summary.scaling;
  CRD_TRY(crd__clamp_solve(ctx, &f->pass, &f->goal, &f->point));
  if (f->point.objective > f->out->summary.temperature_objective) forget_delta(f);
  return CRD_OK;
}

static size_t argmax(const float *row, size_t classes) {
  size_t best = 0;
  for (size_t k = 1; k < classes; k++)
    if (row[k] > row[best]) best = k;
  return best;
}

static size_t count_changes(const fit *f) {
  const size_t classes = f->pass.classes;
  size_t count = 0;
  for (size_t i = 0; i < f->pass.rows; i++)
    count += argmax(f->pass.logits + i * classes, classes) !=
             argmax(f->plain_logits + i * classes, classes);
  return count;
}

static crd_status measure_clamped(crd_context *ctx, fit *f) {
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
  memcpy(p->logits, f->plain_logits, p->rows * p->classes * sizeof(float));
  CRD_TRY(crd__clamp_quality(ctx, p, temperature, &s->only_temperature));
  for (size_t i = 0; i < p->count; i++) {
    f->out->delta[i] = (float)f->point.delta[i];
    sum += f->point.delta[i] * f->point.delta[i];
  }
  s->delta_norm = sqrt(sum);
  return CRD_OK;
}

/* ---- The object. */

crd_status crd__clamp_set_scale(crd_context *ctx, crd_clamp *clamp, const crd_encoding *encoding) {
  crd_clamp_summary *const s = &clamp->summary;
  if (!encoding || !encoding->channels) return CRD_OK;
  const size_t count = encoding->channels;
  CRD_TRY(crd__new(ctx, count, sizeof(double), "a mean", &clamp->mean));
  CRD_TRY(crd__new(ctx, count, sizeof(double), "a standard deviation", &clamp->std));
  memcpy(clamp->mean, encoding->mean, count * sizeof(double));
  memcpy(clamp->std, encoding->std, count * sizeof(double));
  s->channels = count;
  s->mean = clamp->mean;
  s->std = clamp->std;
  return CRD_OK;
}

/* Maps labels to the classes of the network; a network without is refused by the pass. */
static crd_status match_classes(crd_context *ctx, fit *f) {
  const crd_array *const output = crd_network_output(f->network, 0);
  if (!output || output->rank != 2) return CRD_OK;
  CRD_TRY(crd__dataset_match_classes(ctx, f->data, f->options->encoding, (size_t)output->dims[1],
                                     f->options->name ? f->options->name : "the network",
                                     &f->matched));
  if (f->matched) f->data = f->matched;
  return CRD_OK;
}

static crd_status prepare(crd_context *ctx, fit *f) {
  crd_clamp_summary *const s = &f->out->summary;
  CRD_TRY(crd__clamp_settings_read(ctx, f->options, &f->settings));
  CRD_TRY(match_classes(ctx, f));
  const crd_dataset_shape *const data = crd_dataset_describe(f->data);
  CRD_TRY(make_loss(ctx, f));
  CRD_TRY(crd__clamp_pass_make(ctx, f->network, f->data, f->options->encoding, f->loss, &f->pass));
  CRD_TRY(allocate(ctx, f));
  CRD_TRY(crd__new(ctx, f->pass.count, sizeof(float), "a perturbation", &f->out->delta));
  expect_rows(f);
  s->rank = data->rank;
  memcpy(s->dims, data->dims, sizeof s->dims);
  s->count = f->pass.count;
  s->delta = f->out->delta;
  s->classes = f->pass.classes;
  s->rows = f->pass.rows;
  s->gamma = f->settings.gamma;
  s->candidates = f->out->candidates;
  return crd__clamp_set_scale(ctx, f->out, f->options->encoding);
}

/* The weight of the penalty beside the mean over the rows, or beside their sum in mini-batches. */
static void set_weight(fit *f) {
  const crd__clamp_settings *const s = &f->settings;
  crd_clamp_summary *const out = &f->out->summary;
  f->goal.weight = s->lambda * (s->unit > 0 || isinf(s->lambda) ? 1 : f->initial_loss);
  out->weight = s->sum > 0 ? f->goal.weight / f->pass.total : f->goal.weight;
  if (s->optimiser == CRD__CLAMP_LBFGS) f->goal.weight = out->weight;
  out->lambda = s->lambda;
}

static crd_status finish(crd_context *ctx, fit *f) {
  crd_clamp_summary *const s = &f->out->summary;
  crd__text text;
  f->goal.weight = s->weight; /* of the mean objective */
  crd_status status = measure_clamped(ctx, f);
  if (status == CRD_EINTERRUPTED) { /* once more: what was found is not lost */
    s->interrupted = 1;
    status = measure_clamped(ctx, f);
  }
  CRD_TRY(status);
  s->temperature = f->point.temperature;
  s->gradient_norm = f->point.gradient_norm;
  s->converged = f->point.converged;
  s->interrupted |= f->point.interrupted;
  s->passes = (unsigned)(f->meter.done / f->pass.rows);
  s->seconds = now() - f->started;
  crd__text_init(&text, &f->out->alloc);
  crd__clamp_settings_spell(&f->settings, &text);
  s->settings = f->out->settings = text.bytes;
  return crd__text_status(ctx, &text);
}

static crd_status find(crd_context *ctx, fit *f) {
  CRD_TRY(begin(ctx, f));
  CRD_TRY(choose(ctx, f));
  set_weight(f);
  return minimise(ctx, f);
}

/* After an interrupt before the first step, temperature scaling is the best so far. */
static void settle_for_scaling(fit *f) {
  if (f->settings.lambda == CRD__CLAMP_AUTO) f->settings.lambda = (double)INFINITY;
  f->out->summary.interrupted = 1;
  set_weight(f);
  forget_delta(f);
}

static crd_status run(crd_context *ctx, fit *f) {
  CRD_TRY(prepare(ctx, f));
  f->goal = (crd__clamp_goal){ .gamma = f->settings.gamma,
                               .norm = f->settings.norm > 0,
                               .passes = (unsigned)f->settings.passes };
  CRD_TRY(measure_plain(ctx, f));
  const crd_status status = find(ctx, f);
  if (status == CRD_EINTERRUPTED) settle_for_scaling(f);
  else CRD_TRY(status);
  return finish(ctx, f);
}

crd_status crd_clamp_fit(crd_context *ctx, crd_network *network, const crd_dataset *data,
                         const crd_clamp_options *options, crd_clamp **out) {
  const crd_clamp_options none = { 0 };
  fit f = { .options = options ? options : &none, .network = network, .data = data };
  *out = NULL;
  f.started = now();
  CRD_TRY(crd__new(ctx, 1, sizeof *f.out, "a clamp", &f.out));
  f.out->alloc = ctx->alloc;
  const crd_status status = run(ctx, &f);
  crd__clamp_pass_clear(&ctx->alloc, &f.pass);
  crd_loss_destroy(f.loss);
  crd__free(&ctx->alloc, f.point.delta);
  crd__free(&ctx->alloc, f.low);
  crd__free(&ctx->alloc, f.high);
  crd__free(&ctx->alloc, f.plain_logits);
  crd_dataset_destroy(f.matched);
  if (status == CRD_OK) *out = f.out;
  else crd_clamp_destroy(f.out);
  return status;
}

void crd_clamp_destroy(crd_clamp *clamp) {
  if (!clamp) return;
  const crd_allocator alloc = clamp->alloc;
  crd__free(&alloc, clamp->delta);
  crd__free(&alloc, clamp->settings);
  crd__free(&alloc, clamp->mean);
  crd__free(&alloc, clamp->std);
  crd__free(&alloc, clamp);
}

const crd_clamp_summary *crd_clamp_describe(const crd_clamp *clamp) { return &clamp->summary; }

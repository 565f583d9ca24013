/*
 * clamp.c -- a fit from settings to summary:
 *
 *   1  logits without perturbation: the quality before, and of temperature scaling
 *   2  where delta begins, and the loss there, which lambda is a multiple of
 *   3  lambda, by cross-validation unless it is given
 *   4  gamma, if it is to be chosen; lambda is then that of gamma = 0
 *   5  delta and T
 *   6  logits with delta: the quality after
 */
#include "base/memory.h"
#include "base/options.h"
#include "clamp/fit.h"
#include "clamp/minibatch.h"
#include "clamp/start.h"
#include "clamp/temperature.h"
#include "dataset/classes.h"

#include <math.h>
#include <string.h>

typedef crd__clamp_fit fit;

/* ---- Steps of a fit. */

static crd_status allocate(crd_context *ctx, fit *f) {
  const size_t count = f->pass.count;
  CRD_TRY(crd__new(ctx, count, sizeof(double), "a perturbation", &f->point.delta));
  CRD_TRY(crd__new(ctx, count, sizeof(float), "the valid range", &f->low));
  CRD_TRY(crd__new(ctx, count, sizeof(float), "the valid range", &f->high));
  CRD_TRY(crd__new(ctx, f->pass.rows, f->pass.classes * sizeof(float), "logits", &f->plain_logits));
  crd__clamp_range(&f->settings, f->chain.encoder ? NULL : f->chain.encoding, count, f->low,
                   f->high);
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
  else if (s->fixed == 0 && !isinf(s->lambda) && f->rule != CRD__CLAMP_IN_SAMPLE)
    passes += (uint64_t)s->passes + (s->start != CRD__CLAMP_ZERO); /* one if delta is given up */
  f->meter.total = passes * f->pass.rows;
  if (f->automatic && s->fixed == 0 && f->rule != CRD__CLAMP_IN_SAMPLE)
    f->meter.total += crd__clamp_choose_rows(f->data);
  f->meter.total += crd__clamp_select_rows(s, f->rule, f->pass.rows);
  f->pass.meter = &f->meter;
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

/* "Our default approach is to set this term to be 1/10 of the initial loss" (section 4.1). */
static const double papers_lambda = 0.1;

static crd_status choose(crd_context *ctx, fit *f) {
  crd__clamp_settings *const s = &f->settings;
  const crd__clamp_contest contest = crd__clamp_contest_of(f);
  if (!f->automatic) return CRD_OK;
  if (s->fixed > 0 || f->rule == CRD__CLAMP_IN_SAMPLE) {
    s->lambda = s->fixed > 0 ? 0 /* nothing depends on it */ : papers_lambda;
    return CRD_OK;
  }
  const crd_status status =
      crd__clamp_choose(ctx, &contest, f->data, f->out->candidates, &s->lambda);
  if (status == CRD_OK) f->out->summary.candidate_count = CRD__CLAMP_CANDIDATES;
  return status;
}

/* ---- Delta and T. */

/* Returns to temperature scaling. The gradient there is unknown, unless no gradient matters. */
static void forget_delta(fit *f) {
  memset(f->point.delta, 0, f->pass.count * sizeof(double));
  f->point.temperature = f->out->summary.scaling;
  f->point.gradient_norm = isinf(f->settings.lambda) ? 0 : (double)NAN;
  f->point.converged = true;
}

/* The same, with the gradient of the objective, to which a penalty adds nothing at 0. */
static crd_status fall_back(crd_context *ctx, fit *f) {
  double *gradient, sum = 0;
  forget_delta(f);
  CRD_TRY(crd__new(ctx, f->pass.count, sizeof *gradient, "gradients", &gradient));
  const crd_status status =
      crd__clamp_pass_run(ctx, &f->pass, f->point.delta, f->point.temperature, NULL, gradient);
  for (size_t i = 0; i < f->pass.count; i++) sum += gradient[i] * gradient[i];
  if (status == CRD_OK) f->point.gradient_norm = sqrt(sum);
  crd__free(&ctx->alloc, gradient);
  f->point.interrupted |= status == CRD_EINTERRUPTED;
  return status == CRD_EINTERRUPTED ? CRD_OK : status;
}

/* After an interrupted choice, delta is the mean of two folds: T is exact, no step is taken. */
static crd_status settle(crd_context *ctx, fit *f) {
  crd__clamp_point *const at = &f->point;
  double loss;
  if (f->rule == CRD__CLAMP_IN_SAMPLE) return CRD_OK;
  at->converged = false;
  at->gradient_norm = (double)NAN;
  CRD_TRY(crd__clamp_pass_run(ctx, &f->pass, at->delta, 1, NULL, NULL));
  CRD_TRY(crd__clamp_temperature(ctx, &f->pass, f->goal.gamma, &at->temperature));
  CRD_TRY(crd__clamp_loss(ctx, &f->pass, at->temperature, &loss));
  at->objective = loss + crd__clamp_penalty(&f->goal, at->delta, f->pass.count);
  if (at->objective > f->out->summary.temperature_objective) forget_delta(f);
  return CRD_OK;
}

static crd_status minimise(crd_context *ctx, fit *f) {
  const crd__clamp_settings *const s = &f->settings;
  if (s->fixed > 0) /* delta stays at its start: so do the logits */
    return crd__clamp_temperature(ctx, &f->pass, s->gamma, &f->point.temperature);
  if (isinf(s->lambda)) {
    forget_delta(f);
    return CRD_OK;
  }
  if (f->settled) return settle(ctx, f);
  if (s->optimiser != CRD__CLAMP_LBFGS)
    return crd__clamp_minibatch(ctx, &f->pass, s, &f->goal, f->options, &f->point);
  f->point.temperature = f->out->summary.scaling;
  CRD_TRY(crd__clamp_solve(ctx, &f->pass, &f->goal, &f->point));
  return f->point.objective > f->out->summary.temperature_objective ? fall_back(ctx, f) : CRD_OK;
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
  const crd_array *const output = crd_network_output(f->chain.network, 0);
  if (!output || output->rank != 2) return CRD_OK;
  CRD_TRY(crd__dataset_match_classes(ctx, f->data, f->options->encoding, (size_t)output->dims[1],
                                     f->options->name ? f->options->name : "the network",
                                     &f->matched));
  if (f->matched) f->data = f->matched;
  return CRD_OK;
}

crd_status crd__clamp_set_tensor(crd_context *ctx, crd_clamp *clamp, const char *name) {
  if (!name) return CRD_OK;
  clamp->summary.tensor = clamp->tensor = crd__strdup(&ctx->alloc, name);
  return clamp->tensor ? CRD_OK : crd__fail(ctx, CRD_ENOMEM, "no memory for the name of a tensor");
}

static crd_status prepare(crd_context *ctx, fit *f) {
  crd_clamp_summary *const s = &f->out->summary;
  CRD_TRY(crd__clamp_settings_read(ctx, f->options, &f->settings));
  CRD_TRY(crd__clamp_rule_read(ctx, f->options, &f->settings, &f->rule));
  f->automatic = f->settings.lambda == CRD__CLAMP_AUTO;
  CRD_TRY(match_classes(ctx, f));
  CRD_TRY(crd__clamp_make_loss(ctx, f->settings.gamma, &f->loss));
  CRD_TRY(crd__clamp_pass_make(ctx, &f->chain, f->data, f->loss, &f->pass));
  CRD_TRY(allocate(ctx, f));
  CRD_TRY(crd__new(ctx, f->pass.count, sizeof(float), "a perturbation", &f->out->delta));
  expect_rows(f);
  const crd_array *const input = crd_network_input(f->chain.network, 0);
  s->rank = input->rank - 1;
  memcpy(s->dims, input->dims + 1, s->rank * sizeof *s->dims);
  s->count = f->pass.count;
  s->delta = f->out->delta;
  s->classes = f->pass.classes;
  s->rows = f->pass.rows;
  s->gamma = f->settings.gamma;
  s->candidates = f->out->candidates;
  CRD_TRY(crd__clamp_set_tensor(ctx, f->out, f->options->tensor));
  return crd__clamp_set_scale(ctx, f->out, f->options->encoding);
}

/* The weight of the penalty beside the mean over the rows, or beside their sum in mini-batches. */
static void set_weight(fit *f) {
  const crd__clamp_settings *const s = &f->settings;
  crd_clamp_summary *const out = &f->out->summary;
  const bool summed = s->sum > 0 && s->optimiser != CRD__CLAMP_LBFGS;
  out->weight = crd__clamp_weight(f, s->lambda, f->initial_loss);
  out->lambda = s->lambda;
  f->goal.weight = summed ? out->weight * f->pass.total : out->weight;
}

static crd_status finish(crd_context *ctx, fit *f) {
  crd_clamp_summary *const s = &f->out->summary;
  crd__text text;
  f->goal.weight = s->weight; /* of the mean objective */
  crd_status status = crd__clamp_measure_clamped(ctx, f);
  if (status == CRD_EINTERRUPTED) { /* once more: what was found is not lost */
    s->interrupted = 1;
    status = crd__clamp_measure_clamped(ctx, f);
  }
  CRD_TRY(status);
  s->temperature = f->point.temperature;
  s->gradient_norm = f->point.gradient_norm;
  s->converged = f->point.converged;
  s->interrupted |= f->point.interrupted;
  s->passes = (unsigned)(f->meter.done / f->pass.rows);
  s->seconds = crd__clamp_now() - f->started;
  crd__text_init(&text, &f->out->alloc);
  crd__clamp_settings_spell(&f->settings, &text);
  s->settings = f->out->settings = text.bytes;
  return crd__text_status(ctx, &text);
}

static crd_status find(crd_context *ctx, fit *f) {
  CRD_TRY(begin(ctx, f));
  CRD_TRY(choose(ctx, f));
  CRD_TRY(crd__clamp_select_gamma(ctx, f));
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
  CRD_TRY(crd__clamp_measure_plain(ctx, f));
  const crd_status status = find(ctx, f);
  if (status == CRD_EINTERRUPTED) settle_for_scaling(f);
  else CRD_TRY(status);
  return finish(ctx, f);
}

crd_status crd_clamp_fit(crd_context *ctx, crd_network *network, const crd_dataset *data,
                         const crd_clamp_options *options, crd_clamp **out) {
  crd_clamp_options own;
  fit f = { .options = &own, .data = data };
  *out = NULL;
  CRD_TRY(CRD_READ_OPTIONS(ctx, crd_clamp_options, options, &own));
  f.chain = (crd__clamp_chain){ .encoding = f.options->encoding,
                                .encoder = f.options->encoder,
                                .network = network };
  f.started = crd__clamp_now();
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
  crd__free(&alloc, clamp->tensor);
  crd__free(&alloc, clamp->mean);
  crd__free(&alloc, clamp->std);
  crd__free(&alloc, clamp);
}

const crd_clamp_summary *crd_clamp_describe(const crd_clamp *clamp) { return &clamp->summary; }

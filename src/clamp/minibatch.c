/*
 * minibatch.c -- stochastic gradient descent on delta and T.
 *
 * The gradient with respect to T is -(1 / T^2) times the one with respect to 1 / T; T is updated
 * directly, as in the authors' code, and kept above its bound. SGD is torch's: v = m v + g,
 * x = x - rate v. Adam: Kingma, Ba (ICLR 2015), with betas 0.9 and 0.999.
 */
#include "clamp/minibatch.h"
#include "base/memory.h"
#include "clamp/encode.h"

#include <math.h>
#include <string.h>

static const double temperature_least = 1e-3, beta1 = 0.9, beta2 = 0.999, tiny = 1e-8;

typedef struct {
  crd__clamp_pass *pass;
  const crd__clamp_settings *settings;
  const crd__clamp_goal *goal;
  crd__clamp_point *at;
  crd_loader *loader;
  float *logits;
  double *gradient;       /* of delta, then of T */
  double *first, *second; /* momentum, or moments */
  uint64_t steps;
} descent;

/* Sets the gradient of one mini-batch, which is run in parts of the network's batch. */
static crd_status differentiate(crd_context *ctx, descent *d, const crd_batch *batch) {
  crd__clamp_pass *const p = d->pass;
  crd__clamp_sums sums = { 0 };
  memset(d->gradient, 0, (p->count + 1) * sizeof *d->gradient);
  for (size_t first = 0; first < batch->rows; first += p->batch) {
    const size_t left = batch->rows - first;
    const crd_batch part = { .rows = left < p->batch ? left : p->batch,
                             .inputs = crd__clamp_sample_at(p, batch, first),
                             .labels = batch->labels + first,
                             .weights = batch->weights ? batch->weights + first : NULL };
    CRD_TRY(crd__clamp_pass_batch(ctx, p, &part, d->at->delta, d->at->temperature, d->logits, &sums,
                                  d->gradient));
  }
  d->gradient[p->count] = -sums.slope / (d->at->temperature * d->at->temperature);
  if (d->settings->sum == 0 && sums.weight > 0) /* rows of weight 0 have gradient 0 */
    for (size_t i = 0; i <= p->count; i++) d->gradient[i] /= sums.weight;
  crd__clamp_penalty_gradient(d->goal, d->at->delta, p->count, d->gradient);
  return CRD_OK;
}

static double move(const descent *d, size_t i) {
  const double g = d->gradient[i];
  if (d->settings->optimiser == CRD__CLAMP_SGD) {
    d->first[i] = d->settings->momentum * d->first[i] + g;
    return d->settings->rate * d->first[i];
  }
  d->first[i] = beta1 * d->first[i] + (1 - beta1) * g;
  d->second[i] = beta2 * d->second[i] + (1 - beta2) * g * g;
  const double mean = d->first[i] / (1 - pow(beta1, (double)d->steps));
  const double square = d->second[i] / (1 - pow(beta2, (double)d->steps));
  return d->settings->rate * mean / (sqrt(square) + tiny);
}

static crd_status step(crd_context *ctx, descent *d) {
  crd_batch batch;
  const size_t count = d->pass->count;
  CRD_TRY(crd__check_interrupt(ctx));
  CRD_TRY(crd_loader_next(ctx, d->loader, &batch));
  CRD_TRY(differentiate(ctx, d, &batch));
  d->steps++;
  for (size_t i = 0; i < count; i++) d->at->delta[i] -= move(d, i);
  d->at->temperature = fmax(temperature_least, d->at->temperature - move(d, count));
  if (d->pass->meter) {
    d->pass->meter->done += batch.rows;
    crd__progress(ctx, "clamping", d->pass->meter->done, d->pass->meter->total);
  }
  return CRD_OK;
}

static crd_status run(crd_context *ctx, descent *d, const crd_clamp_options *options) {
  const crd_loader_options how = { .size = sizeof how,
                                   .batch = (size_t)d->settings->batch,
                                   .shuffle = 1,
                                   .keep_last = 1,
                                   .seed = ctx->seed,
                                   .augment = options->augment,
                                   .encoding = options->encoding };
  const size_t count = d->pass->count + 1;
  CRD_TRY(crd__new(ctx, d->pass->batch, d->pass->classes * sizeof(float), "logits", &d->logits));
  CRD_TRY(crd__new(ctx, count, sizeof(double), "gradients", &d->gradient));
  CRD_TRY(crd__new(ctx, count, sizeof(double), "moments", &d->first));
  CRD_TRY(crd__new(ctx, count, sizeof(double), "moments", &d->second));
  CRD_TRY(crd_loader_create(ctx, d->pass->data, &how, &d->loader));
  const size_t steps = crd_loader_batches(d->loader) * (size_t)d->settings->epochs;
  for (size_t i = 0; i < steps; i++) CRD_TRY(step(ctx, d));
  return CRD_OK;
}

crd_status crd__clamp_minibatch(crd_context *ctx, crd__clamp_pass *pass,
                                const crd__clamp_settings *settings, const crd__clamp_goal *goal,
                                const crd_clamp_options *options, crd__clamp_point *point) {
  descent d = { .pass = pass, .settings = settings, .goal = goal, .at = point };
  crd_status status = run(ctx, &d, options);
  point->interrupted = status == CRD_EINTERRUPTED;
  if (point->interrupted) status = CRD_OK;
  crd_loader_destroy(d.loader);
  crd__free(&ctx->alloc, d.logits);
  crd__free(&ctx->alloc, d.gradient);
  crd__free(&ctx->alloc, d.first);
  crd__free(&ctx->alloc, d.second);
  return status;
}

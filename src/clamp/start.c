/*
 * start.c -- where delta begins: zero, random, or computed from the data.
 *
 * `entropy` is Theorem 3.2: with g the gradient of the entropy, summed over the inputs, and [l, u]
 * the range of each element over the inputs within the valid range [low, high],
 *
 *   delta = high - u where g > 0,  low - l where g < 0,  0 where g = 0.
 *
 * It leaves all inputs valid, and gains sum |g delta| in entropy, to first order. Where some input
 * reaches the ends of the range, as nearly all pixels of images in [0, 1] do, it is 0.
 * `logits` is what the authors' code does instead: the mean gradient of the sum of all logits.
 */
#include "clamp/start.h"
#include "base/memory.h"
#include "base/random.h"
#include "clamp/encode.h"

#include <math.h>

void crd__clamp_range(const crd__clamp_settings *settings, const crd_encoding *encoding,
                      size_t count, float *low, float *high) {
  const size_t channels = encoding && encoding->channels ? encoding->channels : 1;
  for (size_t i = 0; i < count; i++) {
    const size_t c = i / (count / channels) % channels;
    const double mean = encoding && encoding->channels ? encoding->mean[c] : 0;
    const double std = encoding && encoding->channels ? encoding->std[c] : 1;
    low[i] = (float)((settings->low - mean) / std);
    high[i] = (float)((settings->high - mean) / std);
  }
}

/* Sets least and largest value of each element over all inputs. */
static crd_status find_extremes(crd_context *ctx, crd__clamp_pass *p, float *least, float *most) {
  crd_loader_seek(p->loader, 0, 0);
  for (size_t i = 0; i < p->count; i++) {
    least[i] = (float)INFINITY;
    most[i] = -(float)INFINITY;
  }
  for (size_t first = 0; first < p->rows;) {
    crd_batch batch;
    CRD_TRY(crd__check_interrupt(ctx));
    const float *x;
    CRD_TRY(crd_loader_next(ctx, p->loader, &batch));
    CRD_TRY(crd__clamp_encode(ctx, p, &batch, &x));
    for (size_t r = 0; r < batch.rows; r++)
      for (size_t i = 0; i < p->count; i++) {
        least[i] = fminf(least[i], x[r * p->count + i]);
        most[i] = fmaxf(most[i], x[r * p->count + i]);
      }
    first += batch.rows;
  }
  return CRD_OK;
}

/* Replaces the gradient in `delta` by the perturbation. */
static void follow(const crd__clamp_pass *p, const float *extremes, const float *low,
                   const float *high, double *delta, double *gain) {
  const float *const least = extremes, *const most = extremes + p->count;
  *gain = 0;
  for (size_t i = 0; i < p->count; i++) {
    const double g = delta[i];
    delta[i] = g > 0 ? fmax(0, high[i] - most[i]) : g < 0 ? fmin(0, low[i] - least[i]) : 0;
    *gain += g * delta[i];
  }
}

static crd_status raise_entropy(crd_context *ctx, crd__clamp_pass *p, const float *low,
                                const float *high, double *delta, double *gain) {
  float *extremes;
  double entropy;
  CRD_TRY(crd__new(ctx, p->count, 2 * sizeof *extremes, "extremes", &extremes));
  p->measure = CRD__CLAMP_OF_ENTROPY;
  crd_status status = crd__clamp_pass_run(ctx, p, NULL, 1, &entropy, delta);
  if (status == CRD_OK) status = find_extremes(ctx, p, extremes, extremes + p->count);
  if (status == CRD_OK) follow(p, extremes, low, high, delta, gain);
  crd__free(&ctx->alloc, extremes);
  return status;
}

crd_status crd__clamp_begin(crd_context *ctx, crd__clamp_pass *pass,
                            const crd__clamp_settings *settings, const float *low,
                            const float *high, double *delta, double *gain) {
  static const uint64_t stream = 0x636c616d70; /* "clamp" */
  crd_status status = CRD_OK;
  double sum;
  *gain = (double)NAN;
  switch ((crd__clamp_start)settings->start) {
  case CRD__CLAMP_ZERO:
    break;
  case CRD__CLAMP_RANDOM:
    for (size_t i = 0; i < pass->count; i++)
      delta[i] = settings->spread * crd__random_normal(ctx->seed, stream, i);
    break;
  case CRD__CLAMP_ENTROPY:
    status = raise_entropy(ctx, pass, low, high, delta, gain);
    break;
  case CRD__CLAMP_LOGITS:
    pass->measure = CRD__CLAMP_OF_LOGITS;
    status = crd__clamp_pass_run(ctx, pass, NULL, 1, &sum, delta);
    break;
  }
  pass->measure = CRD__CLAMP_OF_LOSS;
  return status;
}

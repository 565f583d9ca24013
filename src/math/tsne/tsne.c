/* tsne.c -- standardisation, initial points, gradient descent. */
#include "math/tsne/tsne.h"
#include "base/memory.h"
#include "base/random.h"
#include "math/principal.h"
#include "math/tsne/tsne_gradient.h"

#include <math.h>
#include <string.h>

enum { ROWS_MIN = 4, EXAGGERATED = 250, STREAM = 0x74736e65 /* "tsne" */ };
static const double exaggeration = 12, rate_min = 50, gain_min = 0.01;
/* Initial standard deviation along the first axis, where all forces are small and similar; and the
 * jitter that separates duplicates, since points at the same place would stay together. */
static const double start_spread = 1e-4, start_jitter = 1e-6;

const crd__math_tsne_options crd__math_tsne_defaults = { .perplexity = 30,
                                                         .iterations = 1000,
                                                         .angle = 0.5 };

static crd_status check(crd_context *ctx, size_t rows, size_t width,
                        const crd__math_tsne_options *options) {
  if (rows < ROWS_MIN || width == 0)
    return crd__fail(ctx, CRD_EINPUT,
                     "t-SNE: %zu rows of %zu columns, expected at least %d rows and 1 column", rows,
                     width, ROWS_MIN);
  if (!(options->perplexity >= 1 && options->perplexity <= (double)(rows - 1)))
    return crd__fail(ctx, CRD_EINPUT,
                     "t-SNE: perplexity %g for %zu rows, allowed is 1 to %zu (rows - 1)",
                     options->perplexity, rows, rows - 1);
  if (!(options->angle >= 0 && options->angle <= 1))
    return crd__fail(ctx, CRD_EUSAGE, "t-SNE: angle %g, allowed is 0 to 1", options->angle);
  return CRD_OK;
}

/* ---- Initial points. */

/* Scales to values of about 1, whatever the unit, so that squares neither overflow nor vanish, and
 * centres the columns. */
static void standardise(const double *x, size_t rows, size_t width, double *out) {
  double most = 0;
  for (size_t i = 0; i < rows * width; i++) most = fmax(most, fabs(x[i]));
  for (size_t i = 0; i < rows * width; i++) out[i] = most > 0 ? x[i] / most : 0;
  for (size_t j = 0; j < width; j++) {
    double mean = 0;
    for (size_t i = 0; i < rows; i++) mean += out[i * width + j] / (double)rows;
    for (size_t i = 0; i < rows; i++) out[i * width + j] -= mean;
  }
}

static crd_status place(crd_context *ctx, const double *x, size_t rows, size_t width, double *y) {
  double variance = 0;
  CRD_TRY(crd__math_principal_plane(ctx, x, rows, width, y));
  for (size_t i = 0; i < rows; i++) variance += y[2 * i] * y[2 * i] / (double)rows;
  const double scale = variance > 0 ? start_spread / sqrt(variance) : 0;
  for (size_t i = 0; i < 2 * rows; i++)
    y[i] = scale * y[i] + start_jitter * (2 * crd__random_uniform(ctx->seed, STREAM, i) - 1);
  return CRD_OK;
}

/* ---- Gradient descent. */

/* A coordinate that keeps its direction speeds up, an oscillating one slows down (Jacobs 1988). */
static void step(const double *gradient, double rate, double momentum, size_t count, double *gain,
                 double *speed, double *y) {
  for (size_t i = 0; i < count; i++) {
    const double wanted = speed[i] * gradient[i] < 0 ? gain[i] + 0.2 : gain[i] * 0.8;
    gain[i] = fmax(gain_min, wanted);
    speed[i] = momentum * speed[i] - rate * gain[i] * gradient[i];
    y[i] += speed[i];
  }
}

/* memory: gradient, gain and velocity, 2 rows each. */
static crd_status descend(crd_context *ctx, crd__math_tsne_forces *forces, unsigned iterations,
                          double *memory, double *y) {
  const size_t rows = forces->affinities->rows, count = 2 * rows;
  const double rate = fmax(rate_min, (double)rows / exaggeration / 4);
  double *const gradient = memory, *const gain = memory + count, *const speed = gain + count;
  for (size_t i = 0; i < count; i++) gain[i] = 1;
  for (unsigned t = 0; t < iterations; t++) {
    const bool early = t < EXAGGERATED;
    crd__progress(ctx, "arranging points", t, iterations);
    if (t == EXAGGERATED) /* the forces change, so velocities start anew */
      for (size_t i = 0; i < count; i++) {
        gain[i] = 1;
        speed[i] = 0;
      }
    CRD_TRY(crd__math_tsne_gradient(ctx, forces, early ? exaggeration : 1, y, gradient));
    step(gradient, rate, early ? 0.5 : 0.8, count, gain, speed, y);
  }
  return CRD_OK;
}

/* Embeds standardised rows. */
static crd_status map(crd_context *ctx, const double *x, size_t rows, size_t width,
                      const crd__math_tsne_options *options, double *memory, double *y) {
  crd__math_affinities affinities;
  crd__math_tsne_forces forces = { 0 };
  CRD_TRY(place(ctx, x, rows, width, y));
  CRD_TRY(crd__math_affinities_compute(ctx, x, rows, width, options->perplexity, &affinities));
  crd_status status = crd__math_tsne_forces_init(ctx, &affinities, options->angle, &forces);
  if (status == CRD_OK) status = descend(ctx, &forces, options->iterations, memory, y);
  crd__math_tsne_forces_free(&ctx->alloc, &forces);
  crd__math_affinities_free(&ctx->alloc, &affinities);
  return status;
}

crd_status crd__math_tsne(crd_context *ctx, const double *x, size_t rows, size_t width,
                          const crd__math_tsne_options *options, double *out) {
  const crd__math_tsne_options *const o = options ? options : &crd__math_tsne_defaults;
  double *copy = NULL, *memory = NULL;
  size_t cells;
  CRD_TRY(check(ctx, rows, width, o));
  if (!crd__size_mul(rows, width, &cells)) cells = SIZE_MAX;
  crd_status status = crd__new(ctx, cells, sizeof *copy, "rows", &copy);
  if (status == CRD_OK) status = crd__new(ctx, rows, 8 * sizeof *memory, "a map", &memory);
  if (status == CRD_OK) {
    double *const y = memory + 6 * rows;
    standardise(x, rows, width, copy);
    status = map(ctx, copy, rows, width, o, memory, y);
    if (status == CRD_OK) memcpy(out, y, 2 * rows * sizeof *out);
  }
  crd__free(&ctx->alloc, copy);
  crd__free(&ctx->alloc, memory);
  return status;
}

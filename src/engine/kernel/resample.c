/* resample.c -- see resample.h. Cubic weights: R. Keys, Cubic convolution interpolation for digital
 * image processing, IEEE TASSP 29 (1981). */
#include "engine/kernel/resample.h"

#include "base/parallel.h"
#include "engine/kernel/element.h"

#include <math.h>
#include <string.h>

/* ---- Positions. */

/* `out` positions, and their number, as float32. */
static float half_pixel(float j, float in, float out, float factor) {
  (void)in, (void)out;
  return (j + .5F) / factor - .5F;
}

static float half_pixel_symmetric(float j, float in, float out, float factor) {
  const float offset = in / 2 * (1 - out / (factor * in));
  return offset + half_pixel(j, in, out, factor);
}

static float pytorch_half_pixel(float j, float in, float out, float factor) {
  return out > 1 ? half_pixel(j, in, out, factor) : 0;
}

static float align_corners(float j, float in, float out, float factor) {
  (void)factor;
  return out > 1 ? j * (in - 1) / (out - 1) : 0;
}

static float asymmetric(float j, float in, float out, float factor) {
  (void)in, (void)out;
  return j / factor;
}

static float tf_half_pixel(float j, float in, float out, float factor) {
  (void)in, (void)out;
  return (j + .5F) / factor;
}

static float (*const coordinates[CRD__COORDINATES])(float, float, float, float) = {
  [CRD__HALF_PIXEL] = half_pixel,
  [CRD__HALF_PIXEL_SYMMETRIC] = half_pixel_symmetric,
  [CRD__PYTORCH_HALF_PIXEL] = pytorch_half_pixel,
  [CRD__ALIGN_CORNERS] = align_corners,
  [CRD__ASYMMETRIC] = asymmetric,
  [CRD__TF_HALF_PIXEL] = tf_half_pixel,
};

static float prefer_floor(float x) { return ceilf(x - .5F); }
static float prefer_ceil(float x) { return floorf(x + .5F); }

static float (*const roundings[CRD__ROUNDINGS])(float) = {
  [CRD__ROUND_PREFER_FLOOR] = prefer_floor,
  [CRD__ROUND_PREFER_CEIL] = prefer_ceil,
  [CRD__ROUND_FLOOR] = floorf,
  [CRD__ROUND_CEIL] = ceilf,
};

/* ---- Weights. */

static double cubic(double x, double a) {
  const double d = fabs(x);
  if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
  if (d < 2) return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
  return 0;
}

static double weight_of(const crd__kernel_sampling *s, double x) {
  if (s->mode == CRD__SAMPLE_CUBIC) return cubic(x, s->cubic);
  return fabs(x) < 1 ? 1 - fabs(x) : 0;
}

static double stretch_of(const crd__kernel_sampling *s, float factor) {
  return s->antialias && factor < 1 ? (double)factor : 1;
}

/* Return the first tap, relative to the neighbour on the left: taps reach as far as the weights. */
static int64_t first_tap(const crd__kernel_sampling *s, double stretch) {
  return (int64_t)floor((s->mode == CRD__SAMPLE_CUBIC ? -2 : -1) / stretch) + 1;
}

size_t crd__kernel_resample_taps(const crd__kernel_sampling *s, float factor) {
  if (s->mode == CRD__SAMPLE_NEAREST) return 1;
  return (size_t)(2 - 2 * first_tap(s, stretch_of(s, factor)));
}

static int32_t clamp(double x, size_t in) {
  return x < 0 ? 0 : x > (double)(in - 1) ? (int32_t)(in - 1) : (int32_t)x;
}

static void set_taps(const crd__kernel_sampling *s, size_t in, double x, double stretch,
                     size_t taps, int32_t *index, double *weight) {
  const double left = ceil(x) - 1, first = left + (double)first_tap(s, stretch);
  double sum = 0;
  for (size_t t = 0; t < taps; t++) {
    const double at = first + (double)t;
    const bool outside = at < 0 || at > (double)(in - 1);
    index[t] = clamp(at, in);
    weight[t] = s->exclude_outside && outside ? 0 : weight_of(s, stretch * (at - x));
    sum += weight[t];
  }
  for (size_t t = 0; t < taps && sum != 0; t++) weight[t] /= sum;
}

void crd__kernel_resample_table(const crd__kernel_sampling *s, size_t in, size_t out, float factor,
                                int32_t *index, double *weight) {
  const size_t taps = crd__kernel_resample_taps(s, factor);
  for (size_t j = 0; j < out; j++) {
    const float x = coordinates[s->coordinate]((float)j, (float)in, (float)out, factor);
    if (s->mode != CRD__SAMPLE_NEAREST) {
      set_taps(s, in, (double)x, stretch_of(s, factor), taps, index + j * taps, weight + j * taps);
      continue;
    }
    index[j] = clamp((double)roundings[s->rounding](x), in);
    weight[j] = 1;
  }
}

/* ---- Forward pass. */

typedef struct {
  const crd__kernel_resample *r;
  const void *x;
  void *y;
} resampling;

/* One output row of float32: y = sum of w x over the taps, in the order of the taps. */
static void row_f32(const crd__kernel_resample *r, size_t j, const float *x, float *y) {
  const int32_t *const index = r->index + j * r->taps;
  const double *const weight = r->weight + j * r->taps;
  if (r->inner == 1) {
    float sum = 0;
    for (size_t t = 0; t < r->taps; t++) sum += (float)weight[t] * x[index[t]];
    *y = sum;
    return;
  }
  for (size_t t = 0; t < r->taps; t++) {
    const float w = (float)weight[t], *const from = x + (size_t)index[t] * r->inner;
    if (t == 0)
      for (size_t i = 0; i < r->inner; i++) y[i] = w * from[i];
    else
      for (size_t i = 0; i < r->inner; i++) y[i] += w * from[i];
  }
}

/* The same for other types, in float64. */
static void row_any(const crd__kernel_resample *r, size_t j, const char *x, char *y) {
  const size_t from = crd_dtype_size(r->from), to = crd_dtype_size(r->to);
  for (size_t first = 0, n; first < r->inner; first += n) {
    crd__kernel_block sums = { .real = { 0 } }, v;
    n = r->inner - first < CRD__BLOCK ? r->inner - first : CRD__BLOCK;
    for (size_t t = j * r->taps; t < (j + 1) * r->taps; t++) {
      const size_t at = (size_t)r->index[t] * r->inner + first;
      crd__kernel_block_load(r->from, n, x + at * from, 1, &v);
      crd__kernel_block_convert(r->from, CRD_F64, n, &v);
      for (size_t i = 0; i < n; i++) sums.real[i] += r->weight[t] * v.real[i];
    }
    crd__kernel_block_convert(CRD_F64, r->to, n, &sums);
    crd__kernel_block_store(r->to, n, &sums, y + first * to, 1);
  }
}

static void resample_span(void *arg, size_t begin, size_t end) {
  const resampling *const w = arg;
  const crd__kernel_resample *const r = w->r;
  const size_t from = crd_dtype_size(r->from), to = crd_dtype_size(r->to);
  for (size_t row = begin; row < end; row++) {
    const size_t outer = row / r->out, j = row % r->out;
    const char *const x = (const char *)w->x + outer * r->in * r->inner * from;
    char *const y = (char *)w->y + row * r->inner * to;
    if (r->from == CRD_F32 && r->to == CRD_F32)
      row_f32(r, j, (const float *)(const void *)x, (float *)(void *)y);
    else row_any(r, j, x, y);
  }
}

void crd__kernel_resample_run(unsigned threads, const crd__kernel_resample *r, const void *x,
                              void *y) {
  resampling w = { .r = r, .x = x, .y = y };
  crd__parallel_spans(threads, r->outer * r->out, (1 << 13) / (r->inner * r->taps + 1),
                      resample_span, &w);
}

/* ---- Backward pass: threads share the columns, so that each has its sums in one order. */

enum { COLUMNS = 256 };

static void back_span(void *arg, size_t begin, size_t end) {
  const resampling *const w = arg;
  const crd__kernel_resample *const r = w->r;
  const size_t blocks = (r->inner + COLUMNS - 1) / COLUMNS;
  for (size_t b = begin; b < end; b++) {
    const size_t outer = b / blocks, first = b % blocks * COLUMNS;
    const size_t n = r->inner - first < COLUMNS ? r->inner - first : COLUMNS;
    const float *const dy = (const float *)w->x + outer * r->out * r->inner + first;
    float *const dx = (float *)w->y + outer * r->in * r->inner + first;
    for (size_t k = 0; k < r->in; k++) memset(dx + k * r->inner, 0, n * sizeof *dx);
    for (size_t t = 0; t < r->out * r->taps; t++) {
      const float *const from = dy + t / r->taps * r->inner, weight = (float)r->weight[t];
      float *const to = dx + (size_t)r->index[t] * r->inner;
      for (size_t i = 0; i < n; i++) to[i] += weight * from[i];
    }
  }
}

void crd__kernel_resample_back(unsigned threads, const crd__kernel_resample *r, const float *dy,
                               float *dx) {
  resampling w = { .r = r, .x = dy, .y = dx };
  const size_t blocks = (r->inner + COLUMNS - 1) / COLUMNS;
  const size_t each = (r->in + r->out * r->taps) * (r->inner < COLUMNS ? r->inner : COLUMNS) + 1;
  crd__parallel_spans(threads, r->outer * blocks, (1 << 13) / each, back_span, &w);
}

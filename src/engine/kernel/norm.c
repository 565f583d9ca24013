/* norm.c -- see norm.h. float32 uses the kernels of f32.h; other types go through double. */
#include "engine/kernel/norm.h"

#include "base/parallel.h"
#include "engine/kernel/element.h"
#include "engine/kernel/f32.h"

#include <math.h>

enum { GRAIN = 1 << 13 };

typedef struct {
  const crd__kernel_layer_norm *l;
  const char *x;
  char *y;
  float *mean, *inverse;
} norming;

static void norm_float32(const norming *w, size_t row, float *mean, float *inverse) {
  const crd__kernel_layer_norm *const l = w->l;
  const crd__kernel_f32_kernels *const k = crd__kernel_f32_kernels_best();
  const float *const x = (const float *)(const void *)w->x + row * l->n;
  float *const y = (float *)(void *)w->y + row * l->n;
  if (!l->rms) {
    k->normalise(l->n, x, (float)l->epsilon, l->scale, l->shift, y, mean, inverse);
    return;
  }
  *mean = 0;
  *inverse = (float)(1 / sqrt(k->squares(l->n, x, 0) / (double)l->n + l->epsilon));
  k->binary[CRD__PAIR_MUL][CRD__FIRST](l->n, x, inverse, y);
  k->binary[CRD__PAIR_MUL][CRD__BOTH](l->n, y, l->scale, y);
  if (l->shift) k->binary[CRD__PAIR_ADD][CRD__BOTH](l->n, y, l->shift, y);
}

/* Return the mean of x - centre, or of its square. */
static double moment(const crd__kernel_layer_norm *l, const char *x, double centre, bool squared) {
  double sum = 0;
  for (size_t k = 0; k < l->n; k += CRD__BLOCK) {
    const size_t n = l->n - k < CRD__BLOCK ? l->n - k : CRD__BLOCK;
    crd__kernel_block v;
    crd__kernel_block_load(l->dtype, n, x + k * crd_dtype_size(l->dtype), 1, &v);
    for (size_t i = 0; i < n; i++) {
      const double d = v.real[i] - centre;
      sum += squared ? d * d : d;
    }
  }
  return sum / (double)l->n;
}

static void norm_reals(const norming *w, size_t row, float *mean, float *inverse) {
  const crd__kernel_layer_norm *const l = w->l;
  const size_t size = crd_dtype_size(l->dtype);
  const char *const x = w->x + row * l->n * size;
  char *const y = w->y + row * l->n * size;
  const double m = l->rms ? 0 : moment(l, x, 0, false);
  const double s = 1 / sqrt(moment(l, x, m, true) + l->epsilon);
  for (size_t k = 0; k < l->n; k += CRD__BLOCK) {
    const size_t n = l->n - k < CRD__BLOCK ? l->n - k : CRD__BLOCK;
    crd__kernel_block v, scale, shift = { .real = { 0 } };
    crd__kernel_block_load(l->dtype, n, x + k * size, 1, &v);
    crd__kernel_block_load(l->dtype, n, (const char *)l->scale + k * size, 1, &scale);
    if (l->shift) crd__kernel_block_load(l->dtype, n, (const char *)l->shift + k * size, 1, &shift);
    for (size_t i = 0; i < n; i++) v.real[i] = (v.real[i] - m) * s * scale.real[i] + shift.real[i];
    crd__kernel_block_store(l->dtype, n, &v, y + k * size, 1);
  }
  *mean = (float)m;
  *inverse = (float)s;
}

static void norm_rows(void *arg, size_t from, size_t to) {
  const norming *const w = arg;
  for (size_t row = from; row < to; row++) {
    float mean, inverse;
    if (w->l->dtype == CRD_F32) norm_float32(w, row, &mean, &inverse);
    else norm_reals(w, row, &mean, &inverse);
    if (w->mean) w->mean[row] = mean;
    if (w->inverse) w->inverse[row] = inverse;
  }
}

void crd__kernel_layer_norm_run(unsigned threads, const crd__kernel_layer_norm *l, const void *x,
                                void *y, float *mean, float *inverse) {
  norming w = { .l = l, .x = x, .y = y, .mean = mean, .inverse = inverse };
  crd__parallel_spans(threads, l->rows, l->n ? GRAIN / l->n : GRAIN, norm_rows, &w);
}

/* ---- Softmax. */

typedef struct {
  crd_dtype dtype;
  bool logarithm;
  size_t n, inner;
  const char *x;
  char *y;
} softening;

static void soften_float32(void *arg, size_t from, size_t to) {
  const softening *const s = arg;
  const crd__kernel_f32_kernels *const k = crd__kernel_f32_kernels_best();
  for (size_t row = from; row < to; row++) {
    const float *const x = (const float *)(const void *)s->x + row * s->n;
    float *const y = (float *)(void *)s->y + row * s->n;
    const float top = k->max(s->n, x);
    k->binary[CRD__PAIR_SUB][CRD__FIRST](s->n, x, &top, y);
    if (s->logarithm) { /* y holds x - max, and is read again */
      double sum = 0;
      for (size_t i = 0; i < s->n; i += CRD__BLOCK) {
        float part[CRD__BLOCK];
        const size_t n = s->n - i < CRD__BLOCK ? s->n - i : CRD__BLOCK;
        k->unary[CRD__UNARY_EXP](n, y + i, part, 0, 0);
        sum += k->sum(n, part);
      }
      const float shift = (float)log(sum);
      k->binary[CRD__PAIR_SUB][CRD__FIRST](s->n, y, &shift, y);
    } else {
      k->unary[CRD__UNARY_EXP](s->n, y, y, 0, 0);
      const float share = (float)(1 / k->sum(s->n, y));
      k->binary[CRD__PAIR_MUL][CRD__FIRST](s->n, y, &share, y);
    }
  }
}

/* Compute one column of n elements, with stride `inner`: maximum, sum, result. */
static void soften_column(const softening *s, size_t at) {
  const size_t size = crd_dtype_size(s->dtype);
  double top = -INFINITY, sum = 0;
  for (int pass = 0; pass < 3; pass++)
    for (size_t k = 0; k < s->n; k += CRD__BLOCK) {
      const size_t n = s->n - k < CRD__BLOCK ? s->n - k : CRD__BLOCK;
      const size_t place = (at + k * s->inner) * size;
      crd__kernel_block v;
      crd__kernel_block_load(s->dtype, n, s->x + place, (ptrdiff_t)s->inner, &v);
      for (size_t i = 0; i < n; i++) {
        const double d = v.real[i] - top;
        if (pass == 0) top = isnan(top) || top > v.real[i] ? top : v.real[i];
        else if (pass == 1) sum += exp(d);
        else v.real[i] = s->logarithm ? d - log(sum) : exp(d) / sum;
      }
      if (pass == 2) crd__kernel_block_store(s->dtype, n, &v, s->y + place, (ptrdiff_t)s->inner);
    }
}

static void soften_columns(void *arg, size_t from, size_t to) {
  const softening *const s = arg;
  for (size_t c = from; c < to; c++)
    soften_column(s, c / s->inner * s->n * s->inner + c % s->inner);
}

void crd__kernel_softmax(unsigned threads, crd_dtype dtype, bool logarithm, size_t outer, size_t n,
                         size_t inner, const void *x, void *y) {
  softening s = { .dtype = dtype, .logarithm = logarithm, .n = n, .inner = inner, .x = x, .y = y };
  const bool float32 = dtype == CRD_F32 && inner == 1;
  if (!n || !inner) return;
  crd__parallel_spans(threads, outer * inner, GRAIN / n, float32 ? soften_float32 : soften_columns,
                      &s);
}

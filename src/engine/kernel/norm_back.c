/* norm_back.c -- gradients of layer normalization and softmax, see norm.h. */
#include "engine/kernel/norm.h"

#include "base/parallel.h"
#include "engine/kernel/element.h"
#include "engine/kernel/f32.h"

#include <math.h>

enum { GRAIN = 1 << 13 };

/* ---- Layer normalization. */

typedef struct {
  const crd__kernel_layer_norm *l;
  const crd__kernel_layer_norm_arrays *a;
} norming;

static void find_moments(const crd__kernel_layer_norm *l, const float *x, float *mean,
                         float *inverse) {
  const crd__kernel_f32_kernels *const k = crd__kernel_f32_kernels_best();
  if (!l->rms) {
    k->moments(l->n, x, (float)l->epsilon, mean, inverse);
    return;
  }
  *mean = 0;
  *inverse = (float)(1 / sqrt(k->squares(l->n, x, 0) / (double)l->n + l->epsilon));
}

/* Compute moments and dx of rows. */
static void back_rows(void *arg, size_t from, size_t to) {
  const norming *const w = arg;
  const crd__kernel_f32_kernels *const k = crd__kernel_f32_kernels_best();
  const size_t n = w->l->n;
  for (size_t row = from; row < to; row++) {
    const float *const x = w->a->x + row * n;
    float *const mean = &w->a->moments[2 * row], *const inverse = mean + 1;
    find_moments(w->l, x, mean, inverse);
    if (!w->a->dx) continue;
    float *const dx = w->a->dx + row * n;
    k->binary[CRD__PAIR_MUL][CRD__BOTH](n, w->a->dy + row * n, w->l->scale, dx);
    const double s = (double)*inverse, g = w->l->rms ? 0 : k->sum(n, dx) / (double)n;
    const double gz = k->dot(n, x, *mean, dx) * s / (double)n;
    k->bend(n, x, *mean, (float)(-s * s * gz), *inverse, (float)(-s * g), dx);
  }
}

/* Sum columns over the rows, in order. */
static void back_columns(void *arg, size_t from, size_t to) {
  const norming *const w = arg;
  const crd__kernel_f32_kernels *const k = crd__kernel_f32_kernels_best();
  for (size_t b = from * CRD__BLOCK; b < to * CRD__BLOCK && b < w->l->n; b += CRD__BLOCK) {
    const size_t n = w->l->n - b < CRD__BLOCK ? w->l->n - b : CRD__BLOCK;
    double scale[CRD__BLOCK] = { 0 }, shift[CRD__BLOCK] = { 0 };
    for (size_t row = 0; row < w->l->rows; row++) {
      const float *const x = w->a->x + row * w->l->n + b, *const dy = w->a->dy + row * w->l->n + b;
      const float mean = w->a->moments[2 * row], inverse = w->a->moments[2 * row + 1];
      float part[CRD__BLOCK];
      for (size_t i = 0; i < n; i++) part[i] = dy[i] * ((x[i] - mean) * inverse);
      k->add_to(n, part, scale);
      k->add_to(n, dy, shift);
    }
    for (size_t i = 0; i < n && w->a->dscale; i++) w->a->dscale[b + i] = (float)scale[i];
    for (size_t i = 0; i < n && w->a->dshift; i++) w->a->dshift[b + i] = (float)shift[i];
  }
}

void crd__kernel_layer_norm_back(unsigned threads, const crd__kernel_layer_norm *l,
                                 const crd__kernel_layer_norm_arrays *arrays) {
  norming w = { .l = l, .a = arrays };
  crd__parallel_spans(threads, l->rows, GRAIN / l->n, back_rows, &w);
  if (arrays->dscale || arrays->dshift)
    crd__parallel_spans(threads, (l->n + CRD__BLOCK - 1) / CRD__BLOCK, 1, back_columns, &w);
}

/* ---- Softmax. */

typedef struct {
  bool logarithm;
  size_t n, inner;
  const float *y, *dy;
  float *dx;
} softening;

static void soften_rows(void *arg, size_t from, size_t to) {
  const softening *const s = arg;
  const crd__kernel_f32_kernels *const k = crd__kernel_f32_kernels_best();
  for (size_t row = from; row < to; row++) {
    const float *const y = s->y + row * s->n, *const dy = s->dy + row * s->n;
    float *const dx = s->dx + row * s->n;
    const float sum = (float)(s->logarithm ? k->sum(s->n, dy) : k->dot(s->n, y, 0, dy));
    if (s->logarithm) {
      for (size_t i = 0; i < s->n; i += CRD__BLOCK) {
        float part[CRD__BLOCK];
        const size_t n = s->n - i < CRD__BLOCK ? s->n - i : CRD__BLOCK;
        k->unary[CRD__UNARY_EXP](n, y + i, part, 0, 0);
        k->binary[CRD__PAIR_MUL][CRD__FIRST](n, part, &sum, part);
        k->binary[CRD__PAIR_SUB][CRD__BOTH](n, dy + i, part, dx + i);
      }
    } else {
      k->binary[CRD__PAIR_SUB][CRD__FIRST](s->n, dy, &sum, dx);
      k->binary[CRD__PAIR_MUL][CRD__BOTH](s->n, dx, y, dx);
    }
  }
}

/* Columns have stride `inner`. */
static void soften_columns(void *arg, size_t from, size_t to) {
  const softening *const s = arg;
  for (size_t c = from; c < to; c++) {
    const size_t first = c / s->inner * s->n * s->inner + c % s->inner;
    double sum = 0;
    for (size_t i = 0, at = first; i < s->n; i++, at += s->inner)
      sum += (double)s->dy[at] * (s->logarithm ? 1 : (double)s->y[at]);
    for (size_t i = 0, at = first; i < s->n; i++, at += s->inner) {
      const double y = (double)s->y[at], dy = (double)s->dy[at];
      s->dx[at] = (float)(s->logarithm ? dy - exp(y) * sum : y * (dy - sum));
    }
  }
}

void crd__kernel_softmax_back(unsigned threads, bool logarithm, size_t outer, size_t n,
                              size_t inner, const float *y, const float *dy, float *dx) {
  softening s = { .logarithm = logarithm, .n = n, .inner = inner, .y = y, .dy = dy, .dx = dx };
  if (!n || !inner) return;
  crd__parallel_spans(threads, outer * inner, GRAIN / n, inner == 1 ? soften_rows : soften_columns,
                      &s);
}

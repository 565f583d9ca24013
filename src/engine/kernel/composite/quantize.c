/* quantize.c -- see quantize.h. */
#include "engine/kernel/composite/quantize.h"

#include "base/parallel.h"
#include "engine/kernel/element.h"
#include "engine/kernel/f32.h"
#include "math/half.h"

#include <math.h>

enum { GRAIN = 1 << 13 };

crd__kernel_scales crd__kernel_scales_one(size_t count) {
  return (crd__kernel_scales){ .outer = 1, .length = 1, .inner = count, .block = 1 };
}

typedef struct {
  const crd__kernel_quantization *q;
  const char *x;
  char *y;
} work;

/* Round a result of float64 to the type in which ONNX computes it. */
static double rounded(crd_dtype type, double value) {
  if (type == CRD_F16) return crd__math_half_to_double(crd__math_half_from_double(value));
  return type == CRD_F32 ? (double)(float)value : value;
}

/* Load n numbers of any type as float64; `step` 0 repeats one of them. */
static void load(crd_dtype type, size_t n, const void *from, size_t at, size_t step,
                 crd__kernel_block *to) {
  crd__kernel_block_load(type, n, (const char *)from + at * crd_dtype_size(type), (ptrdiff_t)step,
                         to);
  crd__kernel_block_convert(type, CRD_F64, n, to);
}

/* A piece of the array whose elements are consecutive, and the index of its first scale. */
typedef struct {
  size_t at, n, scale;
} piece;

static piece piece_at(const crd__kernel_scales *s, size_t at, size_t to) {
  const size_t row = at / s->inner, column = at % s->inner;
  const size_t left = s->inner - column < to - at ? s->inner - column : to - at;
  return (piece){ .at = at,
                  .n = left < CRD__BLOCK ? left : CRD__BLOCK,
                  .scale = row / s->length * s->steps[0] +
                           row % s->length / s->block * s->steps[1] + column * s->steps[2] };
}

static void load_scales(const crd__kernel_quantization *q, const piece *p, crd__kernel_block *scale,
                        crd__kernel_block *zero) {
  for (size_t i = 0; i < p->n; i++) {
    scale->real[i] = 1;
    zero->real[i] = 0;
  }
  if (q->scale) load(q->scale_type, p->n, q->scale, p->scale, q->scales.steps[2], scale);
  if (q->zero) load(q->zero_type, p->n, q->zero, p->scale, q->scales.steps[2], zero);
}

static void quantize_span(void *arg, size_t from, size_t to) {
  const work *const w = arg;
  const crd__kernel_quantization *const q = w->q;
  for (size_t at = from; at < to;) {
    const piece p = piece_at(&q->scales, at, to);
    crd__kernel_block v, scale, zero;
    load(q->from, p.n, w->x, p.at, 1, &v);
    load_scales(q, &p, &scale, &zero);
    for (size_t i = 0; i < p.n; i++)
      v.real[i] = nearbyint(rounded(q->work, v.real[i] / scale.real[i])) + zero.real[i];
    crd__kernel_block_convert(CRD_F64, q->to, p.n, &v);
    crd__kernel_block_store(q->to, p.n, &v, w->y + p.at * crd_dtype_size(q->to), 1);
    at += p.n;
  }
}

static double part_of(crd__kernel_part part, double value) {
  const double high = floor(value / CRD__PART_BASE);
  if (part == CRD__PART_ALL) return value;
  return part == CRD__PART_HIGH ? high : value - high * CRD__PART_BASE;
}

/* Integers beyond 2^24 are rounded to `work` before they are scaled. */
static void dequantize_span(void *arg, size_t from, size_t to) {
  const work *const w = arg;
  const crd__kernel_quantization *const q = w->q;
  for (size_t at = from; at < to;) {
    const piece p = piece_at(&q->scales, at, to);
    crd__kernel_block v, scale, zero;
    load(q->from, p.n, w->x, p.at, 1, &v);
    load_scales(q, &p, &scale, &zero);
    for (size_t i = 0; i < p.n; i++) {
      const double whole = rounded(q->work, part_of(q->part, v.real[i] - zero.real[i]));
      v.real[i] = rounded(q->work, whole * scale.real[i]);
    }
    crd__kernel_block_store(q->to, p.n, &v, w->y + p.at * crd_dtype_size(q->to), 1);
    at += p.n;
  }
}

static void run(unsigned threads, void (*span)(void *, size_t, size_t),
                const crd__kernel_quantization *q, const void *x, void *y) {
  work w = { .q = q, .x = x, .y = y };
  const size_t count = q->scales.outer * q->scales.length * q->scales.inner;
  if (count) crd__parallel_spans(threads, count, GRAIN, span, &w);
}

void crd__kernel_quantize(unsigned threads, const crd__kernel_quantization *q, const void *x,
                          void *y) {
  run(threads, quantize_span, q, x, y);
}

void crd__kernel_dequantize(unsigned threads, const crd__kernel_quantization *q, const void *x,
                            void *y) {
  run(threads, dequantize_span, q, x, y);
}

void crd__kernel_quantize_dynamic(unsigned threads, size_t n, const float *x, uint8_t *y,
                                  float *scale, uint8_t *zero) {
  const crd__kernel_f32_kernels *const k = crd__kernel_f32_kernels_best();
  const float high = n ? fmaxf(k->max(n, x), 0) : 0, low = n ? fminf(k->min(n, x), 0) : 0;
  *scale = high > low ? (high - low) / 255 : 1; /* 1, as ONNX Runtime: zeros have no range */
  const float level = nearbyintf(-low / *scale);
  *zero = (uint8_t)(level > 255 ? 255 : level > 0 ? level : 0); /* 0 also for NaN: -inf / inf */
  const crd__kernel_quantization q = { .scales = crd__kernel_scales_one(n),
                                       .from = CRD_F32,
                                       .to = CRD_U8,
                                       .scale_type = CRD_F32,
                                       .zero_type = CRD_U8,
                                       .work = CRD_F32,
                                       .scale = scale,
                                       .zero = zero };
  crd__kernel_quantize(threads, &q, x, y);
}

/* ---- Sums of products. */

typedef struct {
  const crd__kernel_requantization *r;
  const float *x;
  char *y;
} rework;

static float number_at(const crd__kernel_requantization *r, const void *from, size_t index) {
  crd__kernel_block b;
  load(r->scale_type, 1, from, index, 1, &b);
  return (float)b.real[0];
}

static void requantize_rows(void *arg, size_t from, size_t to) {
  const rework *const w = arg;
  const crd__kernel_requantization *const r = w->r;
  crd__kernel_block zero = { { 0 } }, v;
  if (r->zero) load(r->to, 1, r->zero, 0, 1, &zero);
  for (size_t row = from; row < to; row++) {
    const float a = number_at(r, r->a, 0), b = number_at(r, r->b, row % r->channels * r->b_step);
    const float product = r->alpha * (a * b);
    const float factor = r->scale ? product / number_at(r, r->scale, 0) : product;
    for (size_t k = 0; k < r->inner; k += CRD__BLOCK) {
      const size_t n = r->inner - k < CRD__BLOCK ? r->inner - k : CRD__BLOCK;
      const size_t at = row * r->inner + k;
      for (size_t i = 0; i < n; i++) {
        const float value = w->x[at + i] * factor;
        v.real[i] = r->scale ? (double)nearbyintf(value) + zero.real[0] : (double)value;
      }
      crd__kernel_block_convert(CRD_F64, r->to, n, &v);
      crd__kernel_block_store(r->to, n, &v, w->y + at * crd_dtype_size(r->to), 1);
    }
  }
}

void crd__kernel_requantize(unsigned threads, const crd__kernel_requantization *r, const float *x,
                            void *y) {
  rework w = { .r = r, .x = x, .y = y };
  crd__parallel_spans(threads, r->outer * r->channels, 1 + GRAIN / (r->inner + 1), requantize_rows,
                      &w);
}

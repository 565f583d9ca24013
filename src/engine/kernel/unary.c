/* unary.c -- float32 by the kernels of f32.h, other types through double or 64-bit integers. */
#include "engine/kernel/unary.h"

#include "base/parallel.h"
#include "engine/kernel/element.h"

#include <math.h>

typedef double real_map(double x, double a, double b);

#define REAL(name, value)                                                                          \
  static double real_##name(double x, double a, double b) {                                        \
    (void)a;                                                                                       \
    (void)b;                                                                                       \
    return (value);                                                                                \
  }

static double at_least(double x, double least) { return x < least ? least : x; }
static double at_most(double x, double most) { return x > most ? most : x; }
static double elu(double x, double a) { return x >= 0 ? x : a * expm1(x); }
static double softplus(double x) { return at_least(x, 0) + log1p(exp(-fabs(x))); }
static double sigmoid(double x) { return (x < 0 ? exp(x) : 1) / (1 + exp(-fabs(x))); }

REAL(abs, fabs(x))
REAL(acos, acos(x))
REAL(acosh, acosh(x))
REAL(asin, asin(x))
REAL(asinh, asinh(x))
REAL(atan, atan(x))
REAL(atanh, atanh(x))
REAL(ceil, ceil(x))
REAL(celu, x >= 0 ? x : a * expm1(x / a))
REAL(clip, at_most(at_least(x, a), b))
REAL(cos, cos(x))
REAL(cosh, cosh(x))
REAL(elu, elu(x, a))
REAL(erf, erf(x))
REAL(exp, exp(x))
REAL(floor, floor(x))
REAL(gelu, x * 0.5 * erfc(x * -0x1.6a09e667f3bcdp-1))
REAL(gelu_tanh, x *sigmoid(0x1.988453365c77cp+0 * (x + 0.044715 * x * x * x)))
REAL(hard_sigmoid, at_least(at_most(a *x + b, 1), 0))
REAL(hard_swish, x *at_least(at_most(x / 6 + 0.5, 1), 0))
REAL(leaky_relu, x < 0 ? a * x : x)
REAL(log, log(x))
REAL(mish, x *tanh(softplus(x)))
REAL(neg, -x)
REAL(reciprocal, 1 / x)
REAL(relu, at_least(x, 0))
REAL(round, nearbyint(x))
REAL(selu, b *elu(x, a))
REAL(shrink, x<-a ? x + b : x> a ? x - b : 0)
REAL(sigmoid, sigmoid(x))
REAL(sign, x > 0 ? 1 : x < 0 ? -1 : x)
REAL(sin, sin(x))
REAL(sinh, sinh(x))
REAL(softplus, softplus(x))
REAL(softsign, x / (1 + fabs(x)))
REAL(sqrt, sqrt(x))
REAL(swish, x *sigmoid(a *x))
REAL(tan, tan(x))
REAL(tanh, tanh(x))
REAL(thresholded_relu, x > a ? x : 0)

static real_map *const real_maps[] = {
#define X(id, name) [CRD__UNARY_##id] = real_##name,
  CRD__UNARY_LIST(X) CRD__UNARY_RARE_LIST(X)
#undef X
};

typedef struct {
  crd__kernel_unary_id id;
  double a, b;
  crd_dtype dtype;
  crd__kernel_block low, high; /* bounds of clip, as integers */
  const char *x;
  char *y;
} mapping;

/* ---- Integers. */

/* The complement plus one, which wraps. */
static void negate(const mapping *m, size_t n, crd__kernel_block *v) {
  (void)m;
  for (size_t i = 0; i < n; i++) v->natural[i] = 0 - v->natural[i];
}

static bool is_signed(const mapping *m) { return crd__kernel_carrier_of(m->dtype) == CRD__SIGNED; }

static void without_sign(const mapping *m, size_t n, crd__kernel_block *v) {
  for (size_t i = 0; i < n && is_signed(m); i++)
    if (v->whole[i] < 0) v->natural[i] = 0 - v->natural[i];
}

static void sign_of(const mapping *m, size_t n, crd__kernel_block *v) {
  for (size_t i = 0; i < n; i++)
    v->whole[i] = is_signed(m) && v->whole[i] < 0 ? -1 : v->whole[i] != 0;
}

/* Also relu, which has no upper bound. */
static void clip(const mapping *m, size_t n, crd__kernel_block *v) {
  const int64_t low = m->low.whole[0], high = m->high.whole[0];
  const uint64_t least = m->low.natural[0], most = m->high.natural[0];
  for (size_t i = 0; i < n && is_signed(m); i++) {
    if (v->whole[i] < low) v->whole[i] = low;
    if (v->whole[i] > high) v->whole[i] = high;
  }
  for (size_t i = 0; i < n && !is_signed(m); i++) {
    if (v->natural[i] < least) v->natural[i] = least;
    if (v->natural[i] > most) v->natural[i] = most;
  }
}

typedef void integer_map(const mapping *m, size_t n, crd__kernel_block *v);
static integer_map *const integer_maps[CRD__UNARY_COUNT] = {
  [CRD__UNARY_ABS] = without_sign, [CRD__UNARY_CLIP] = clip,    [CRD__UNARY_NEG] = negate,
  [CRD__UNARY_RELU] = clip,        [CRD__UNARY_SIGN] = sign_of,
};

bool crd__kernel_unary_takes(crd__kernel_unary_id id, crd_dtype dtype) {
  return crd__kernel_carrier_of(dtype) == CRD__REAL || (dtype != CRD_BOOL && integer_maps[id]);
}

/* ---- Arrays. */

static void map_float32(void *arg, size_t from, size_t to) {
  const mapping *const m = arg;
  crd__kernel_f32_kernels_best()->unary[m->id](to - from, (const float *)(const void *)m->x + from,
                                               (float *)(void *)m->y + from, (float)m->a,
                                               (float)m->b);
}

static void map_blocks(void *arg, size_t from, size_t to) {
  const mapping *const m = arg;
  const size_t size = crd_dtype_size(m->dtype);
  for (size_t k = from; k < to; k += CRD__BLOCK) {
    const size_t n = to - k < CRD__BLOCK ? to - k : CRD__BLOCK;
    crd__kernel_block v;
    crd__kernel_block_load(m->dtype, n, m->x + k * size, 1, &v);
    if (crd__kernel_carrier_of(m->dtype) != CRD__REAL) integer_maps[m->id](m, n, &v);
    else
      for (size_t i = 0; i < n; i++) v.real[i] = real_maps[m->id](v.real[i], m->a, m->b);
    crd__kernel_block_store(m->dtype, n, &v, m->y + k * size, 1);
  }
}

void crd__kernel_unary(unsigned threads, crd__kernel_unary_id id, double a, double b,
                       crd_dtype dtype, size_t n, const void *x, void *y) {
  mapping m = { .id = id, .a = a, .b = b, .dtype = dtype, .x = x, .y = y };
  m.low.real[0] = id == CRD__UNARY_RELU ? 0 : a;
  m.high.real[0] = id == CRD__UNARY_RELU ? INFINITY : b;
  crd__kernel_block_convert(CRD_F64, dtype, 1, &m.low);
  crd__kernel_block_convert(CRD_F64, dtype, 1, &m.high);
  const bool f32 = dtype == CRD_F32 && crd__kernel_f32_kernels_best()->unary[id];
  crd__parallel_spans(threads, n, 1 << 13, f32 ? map_float32 : map_blocks, &m);
}

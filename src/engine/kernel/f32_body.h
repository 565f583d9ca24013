/*
 * f32_body.h -- the kernels of f32.h, included once by each f32_<instruction set>.c, which defines
 * KERNELS and KERNELS_NAME, and the registers of recurrent/f32_product.h.
 */
#include "engine/kernel/f32.h"
#include "engine/kernel/f32_math.h"

/* ---- Unary functions. */

#define MAP(name, value)                                                                           \
  static void name##_map(size_t n, const float *from, float *to, float a, float b) {               \
    (void)a;                                                                                       \
    (void)b;                                                                                       \
    _Pragma("omp simd") for (size_t i = 0; i < n; i++) {                                           \
      const float x = from[i];                                                                     \
      to[i] = (value);                                                                             \
    }                                                                                              \
  }

MAP(abs, fabsf(x))
MAP(ceil, ceilf(x))
MAP(celu, x >= 0 ? x : a * exp_less_one(x / a))
MAP(clip, at_most(at_least(x, a), b))
MAP(elu, x >= 0 ? x : a * exp_less_one(x))
MAP(erf, erf_of(x))
MAP(exp, exp_of(x))
MAP(floor, floorf(x))
MAP(gelu, gelu_of(x))
MAP(gelu_tanh, gelu_tanh_of(x))
MAP(hard_sigmoid, at_least(at_most(fmaf(a, x, b), 1), 0))
MAP(hard_swish, x *at_least(at_most(fmaf(x, 1.0F / 6, 0.5F), 1), 0))
MAP(leaky_relu, x < 0 ? a * x : x)
MAP(log, log_of(x))
MAP(mish, mish_of(x))
MAP(neg, -x)
MAP(reciprocal, 1 / x)
MAP(relu, at_least(x, 0))
MAP(round, nearbyintf(x))
MAP(selu, b *(x >= 0 ? x : a * exp_less_one(x)))
MAP(shrink, x<-a ? x + b : x> a ? x - b : 0)
MAP(sigmoid, sigmoid_of(x))
MAP(sign, x > 0 ? 1 : x < 0 ? -1 : x)
MAP(softplus, softplus_of(x))
MAP(softsign, x / (1 + fabsf(x)))
MAP(sqrt, sqrtf(x))
MAP(swish, x *sigmoid_of(a *x))
MAP(tanh, tanh_of(x))
MAP(thresholded_relu, x > a ? x : 0)

/* ---- Their derivatives: g is the incoming gradient. */

#define SLOPE(name, given_name, value)                                                             \
  static void name##_slope_##given_name(size_t n, const float *given, const float *dy, float *dx,  \
                                        float a, float b) {                                        \
    (void)a;                                                                                       \
    (void)b;                                                                                       \
    _Pragma("omp simd") for (size_t i = 0; i < n; i++) {                                           \
      const float given_name = given[i], g = dy[i];                                                \
      (void)given_name;                                                                            \
      (void)g;                                                                                     \
      dx[i] = (value);                                                                             \
    }                                                                                              \
  }

SLOPE(abs, x, x > 0 ? g : x < 0 ? -g : 0)
SLOPE(ceil, x, 0)
SLOPE(celu, x, x > 0 ? g : g * exp_of(x / a))
SLOPE(clip, x, x >= a && x <= b ? g : 0)
SLOPE(elu, x, x > 0 ? g : g * (a * exp_of(x)))
SLOPE(erf, x, g *(0x1.20dd76p+0F * exp_of(-x * x)))
SLOPE(exp, x, g *exp_of(x))
SLOPE(floor, x, 0)
SLOPE(gelu, x, g *gelu_slope_of(x))
SLOPE(gelu_tanh, x, g *gelu_tanh_slope_of(x))
SLOPE(hard_sigmoid, x, fmaf(a, x, b) > 0 && fmaf(a, x, b) < 1 ? a * g : 0)
SLOPE(hard_swish, x, x < -3 ? 0 : x <= 3 ? g * fmaf(x, 1.0F / 3, 0.5F) : g)
SLOPE(leaky_relu, x, x > 0 ? g : a * g)
SLOPE(log, x, g / x)
SLOPE(mish, x, g *mish_slope_of(x))
SLOPE(neg, x, -g)
SLOPE(reciprocal, x, -g / (x * x))
SLOPE(relu, x, x > 0 ? g : 0)
SLOPE(round, x, 0)
SLOPE(selu, x, b *(x > 0 ? g : g * (a * exp_of(x))))
SLOPE(shrink, x, x<-a || x> a ? g : 0)
SLOPE(sigmoid, x, g *sigmoid_slope_of(x))
SLOPE(sign, x, 0)
SLOPE(softplus, x, g *sigmoid_of(x))
SLOPE(softsign, x, g / ((1 + fabsf(x)) * (1 + fabsf(x))))
SLOPE(sqrt, x, 0.5F * g / sqrtf(x))
SLOPE(swish, x, g *swish_slope_of(x, a))
SLOPE(tanh, x, g *tanh_slope_of(x))
SLOPE(thresholded_relu, x, x > a ? g : 0)

SLOPE(clip, y, y > a && y < b ? g : 0)
SLOPE(exp, y, g *y)
SLOPE(hard_sigmoid, y, y > 0 && y < 1 ? a * g : 0)
SLOPE(leaky_relu, y, y > 0 ? g : a * g)
SLOPE(neg, y, -g)
SLOPE(relu, y, y > 0 ? g : 0)
SLOPE(sigmoid, y, g *(y *(1 - y)))
SLOPE(sqrt, y, 0.5F * g / y)
SLOPE(tanh, y, g *((1 - y) * (1 + y)))

/* ---- Binary functions. */

#define PAIR_LOOP(name, suffix, first, second, value)                                              \
  static void name##_##suffix(size_t n, const float *left, const float *right, float *to) {        \
    const float x0 = *left, y0 = *right;                                                           \
    (void)x0;                                                                                      \
    (void)y0;                                                                                      \
    _Pragma("omp simd") for (size_t i = 0; i < n; i++) {                                           \
      const float x = (first), y = (second);                                                       \
      to[i] = (value);                                                                             \
    }                                                                                              \
  }
#define PAIR(name, value)                                                                          \
  PAIR_LOOP(name, both, left[i], right[i], value)                                                  \
  PAIR_LOOP(name, first, left[i], y0, value)                                                       \
  PAIR_LOOP(name, second, x0, right[i], value)

PAIR(add, x + y)
PAIR(sub, x - y)
PAIR(mul, x *y)
PAIR(div, x / y)
PAIR(max, isnan(x) || x > y ? x : y)
PAIR(min, isnan(x) || x < y ? x : y)
PAIR_LOOP(pow, both, left[i], right[i], powf(x, y))
PAIR_LOOP(pow, second, x0, right[i], powf(x, y))
PAIR_LOOP(power, first, left[i], y0, powf(x, y))

/* Squares are the most frequent powers: the variance of a layer norm that an exporter
 * decomposed. */
static void pow_first(size_t n, const float *x, const float *y, float *z) {
  if (*y == 2) mul_both(n, x, x, z);
  else power_first(n, x, y, z);
}

/* ---- Row sums: four chains of sixteen lanes run in parallel, and one tree adds them up. */

enum { LANES = 16, CHAINS = 4, STRIDE = LANES * CHAINS, BLOCK = 1024 };

typedef float lanes __attribute__((vector_size(LANES * sizeof(float))));
typedef int32_t marks __attribute__((vector_size(LANES * sizeof(float)))); /* all bits, or none */

INLINE float sum_tree(const lanes sums[CHAINS]) {
  const lanes all = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  float tree[LANES];
  memcpy(tree, &all, sizeof tree);
  for (size_t half = LANES / 2; half; half /= 2)
    for (size_t j = 0; j < half; j++) tree[j] += tree[j + half];
  return tree[0];
}

/* Sum x - mean, or its square, of at most BLOCK elements: few enough for float32. */
INLINE float sum_block(size_t n, const float *x, float mean, bool squares) {
  lanes sums[CHAINS] = { { 0 } };
  for (size_t k = 0; k < n; k += STRIDE) {
    for (size_t c = 0; c < CHAINS && k + c * LANES < n; c++) {
      const float *const from = x + k + c * LANES;
      const size_t left = n - k - c * LANES;
      lanes d = { 0 };
      d += mean;
      if (left >= LANES) memcpy(&d, from, sizeof d);
      else memcpy(&d, from, left * sizeof *from);
      d -= mean;
      sums[c] += squares ? d * d : d;
    }
  }
  return sum_tree(sums);
}

INLINE double sum_row(size_t n, const float *x, float mean, bool squares) {
  double sum = 0;
  for (size_t k = 0; k < n; k += BLOCK)
    sum += (double)sum_block(n - k < BLOCK ? n - k : BLOCK, x + k, mean, squares);
  return sum;
}

static double sum(size_t n, const float *x) { return sum_row(n, x, 0, false); }
static double squares(size_t n, const float *x, float centre) {
  return sum_row(n, x, centre, true);
}

/* Sum (x - centre) y, in the order of sum_block. */
INLINE float dot_block(size_t n, const float *x, float centre, const float *y) {
  lanes sums[CHAINS] = { { 0 } };
  for (size_t k = 0; k < n; k += STRIDE) {
    for (size_t c = 0; c < CHAINS && k + c * LANES < n; c++) {
      const size_t at = k + c * LANES, bytes = (n - at < LANES ? n - at : LANES) * sizeof *x;
      lanes left = { 0 }, right = { 0 };
      if (n - at >= LANES) {
        memcpy(&left, x + at, sizeof left);
        memcpy(&right, y + at, sizeof right);
      } else {
        memcpy(&left, x + at, bytes);
        memcpy(&right, y + at, bytes);
      }
      sums[c] += (left - centre) * right;
    }
  }
  return sum_tree(sums);
}

static double dot(size_t n, const float *x, float centre, const float *y) {
  double all = 0;
  for (size_t k = 0; k < n; k += BLOCK)
    all += (double)dot_block(n - k < BLOCK ? n - k : BLOCK, x + k, centre, y + k);
  return all;
}

static void add_to(size_t n, const float *x, double *sums) {
  _Pragma("omp simd") for (size_t i = 0; i < n; i++) sums[i] += (double)x[i];
}

static void moments(size_t n, const float *x, float epsilon, float *mean, float *inverse) {
  const float m = (float)(sum_row(n, x, 0, false) / (double)n);
  const double variance = sum_row(n, x, m, true) / (double)n;
  *mean = m;
  *inverse = (float)(1 / sqrt(variance + (double)epsilon));
}

static void normalise(size_t n, const float *x, float epsilon, const float *scale,
                      const float *shift, float *y, float *mean, float *inverse) {
  moments(n, x, epsilon, mean, inverse);
  const float m = *mean, s = *inverse;
  if (shift) {
    _Pragma("omp simd") for (size_t i = 0; i < n; i++) y[i] =
        fmaf((x[i] - m) * s, scale[i], shift[i]);
  } else {
    _Pragma("omp simd") for (size_t i = 0; i < n; i++) y[i] = (x[i] - m) * s * scale[i];
  }
}

static void bend(size_t n, const float *x, float centre, float k, float s, float c, float *y) {
  _Pragma("omp simd") for (size_t i = 0; i < n; i++) y[i] =
      fmaf(k, x[i] - centre, fmaf(s, y[i], c));
}

/* Return the maximum or minimum; lanes that have seen a NaN are marked. */
INLINE float extreme(size_t n, const float *x, bool largest) {
  lanes best;
  marks odd = { 0 };
  for (size_t j = 0; j < LANES; j++) best[j] = *x;
  for (size_t k = 0; k < n; k += LANES) {
    lanes v = best;
    if (n - k >= LANES) memcpy(&v, x + k, sizeof v);
    else memcpy(&v, x + k, (n - k) * sizeof *x);
    const marks better = largest ? v > best : v < best;
    odd |= v != v;
    best = (lanes)((better & (marks)v) | (~better & (marks)best));
  }
  float top = best[0];
  for (size_t j = 0; j < LANES; j++) {
    if (odd[j]) return NAN;
    if (largest ? best[j] > top : best[j] < top) top = best[j];
  }
  return top;
}

static float max_row(size_t n, const float *x) { return extreme(n, x, true); }
static float min_row(size_t n, const float *x) { return extreme(n, x, false); }

#include "engine/kernel/f32_channels.h"
#include "engine/kernel/recurrent/f32_product.h"

extern const crd__kernel_f32_kernels KERNELS;
const crd__kernel_f32_kernels KERNELS = {
  .name = KERNELS_NAME,
#define X(id, name) [CRD__UNARY_##id] = name##_map,
  .unary = { CRD__UNARY_LIST(X) },
#undef X
#define X(id, name) [CRD__UNARY_##id] = name##_slope_x,
  .slope_x = { CRD__UNARY_LIST(X) },
#undef X
#define X(id, name) [CRD__UNARY_##id] = name##_slope_y,
  .slope_y = { CRD__UNARY_Y_LIST(X) },
#undef X
#define X(id, name) [CRD__PAIR_##id] = { name##_both, name##_first, name##_second },
  .binary = { CRD__PAIR_LIST(X) },
#undef X
  .sum = sum,
  .squares = squares,
  .dot = dot,
  .max = max_row,
  .min = min_row,
  .add_to = add_to,
  .normalise = normalise,
  .moments = moments,
  .bend = bend,
  .channel_moments = channel_moments,
  .channel_normalise = channel_normalise,
  .channel_sums = channel_sums,
  .channel_bend = channel_bend,
  .product = product,
};

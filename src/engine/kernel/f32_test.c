/* f32_test.c -- the functions against double arithmetic, in ulp, and every instruction set against
 * the generic one, bit by bit. */
#include "engine/kernel/f32.h"

#include "support.h"

#include "base/random.h"
#include "math/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 5000 };

static bool usable(const char *name) {
  for (size_t i = 0; crd__math_row_kernels_at(i); i++)
    if (strcmp(crd__math_row_kernels_at(i)->name, name) == 0)
      return crd__math_row_kernels_at(i)->usable();
  return false;
}

static float single(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* Return the error in ulp of the exact value, subnormals included. */
static double ulps(float found, double right) {
  if (isnan(right) || isinf((float)right))
    return isnan(right) ? (isnan(found) ? 0 : INFINITY) : (found == (float)right ? 0 : INFINITY);
  int exponent;
  frexp(right, &exponent);
  return fabs((double)found - right) / ldexp(1, (exponent < -125 ? -125 : exponent) - 24);
}

static double sigmoid(double x) { return 1 / (1 + exp(-x)); }

static double softplus(double x) { return (x > 0 ? x : 0) + log1p(exp(-fabs(x))); }

static double right_value(crd__kernel_unary_id id, double x, double a, double b) {
  switch (id) {
  case CRD__UNARY_ABS:
    return fabs(x);
  case CRD__UNARY_CEIL:
    return ceil(x);
  case CRD__UNARY_CELU:
    return x > 0 ? x : a * expm1(x / a);
  case CRD__UNARY_ELU:
    return x > 0 ? x : a * expm1(x);
  case CRD__UNARY_FLOOR:
    return floor(x);
  case CRD__UNARY_MISH:
    return x * tanh(softplus(x));
  case CRD__UNARY_RECIPROCAL:
    return 1 / x;
  case CRD__UNARY_ROUND:
    return rint(x);
  case CRD__UNARY_SELU:
    return b * (x > 0 ? x : a * expm1(x));
  case CRD__UNARY_SHRINK:
    return x < -a ? x + b : x > a ? x - b : 0;
  case CRD__UNARY_SIGN:
    return x > 0 ? 1 : x < 0 ? -1 : x;
  case CRD__UNARY_SOFTPLUS:
    return softplus(x);
  case CRD__UNARY_SOFTSIGN:
    return x / (1 + fabs(x));
  case CRD__UNARY_SWISH:
    return x * sigmoid(a * x);
  case CRD__UNARY_THRESHOLDED_RELU:
    return x > a ? x : 0;
  case CRD__UNARY_CLIP:
    return x < a ? a : x > b ? b : x;
  case CRD__UNARY_ERF:
    return erf(x);
  case CRD__UNARY_EXP:
    return exp(x);
  case CRD__UNARY_GELU:
    return x * 0.5 * erfc(-x * sqrt(0.5));
  case CRD__UNARY_GELU_TANH:
    return x * sigmoid(2 * sqrt(2 / acos(-1)) * (x + 0.044715 * x * x * x));
  case CRD__UNARY_HARD_SIGMOID:
    return fmax(0, fmin(1, a * x + b));
  case CRD__UNARY_HARD_SWISH:
    return x * fmax(0, fmin(1, x / 6 + 0.5));
  case CRD__UNARY_LEAKY_RELU:
    return x < 0 ? a * x : x;
  case CRD__UNARY_LOG:
    return log(x);
  case CRD__UNARY_NEG:
    return -x;
  case CRD__UNARY_RELU:
    return x < 0 ? 0 : x;
  case CRD__UNARY_SIGMOID:
    return x < 0 ? exp(x) / (1 + exp(x)) : sigmoid(x);
  case CRD__UNARY_SQRT:
    return sqrt(x);
  case CRD__UNARY_TANH:
    return tanh(x);
  default: /* without a kernel */
    break;
  }
  return NAN;
}

/* Allowed errors in ulp; `absolute`: in ulp of 1, where values cancel. */
static const struct {
  double units, absolute;
} allowed[CRD__UNARY_COUNT] = {
  [CRD__UNARY_CLIP] = { 0, 0 },          [CRD__UNARY_ERF] = { 2, 0 },
  [CRD__UNARY_EXP] = { 1, 0 },           [CRD__UNARY_GELU] = { 4, 3e-7 },
  [CRD__UNARY_GELU_TANH] = { 4, 3e-7 },  [CRD__UNARY_HARD_SIGMOID] = { 1, 6e-8 },
  [CRD__UNARY_HARD_SWISH] = { 3, 1e-6 }, [CRD__UNARY_LEAKY_RELU] = { 0.5, 0 },
  [CRD__UNARY_LOG] = { 2, 0 },           [CRD__UNARY_NEG] = { 0, 0 },
  [CRD__UNARY_RELU] = { 0, 0 },          [CRD__UNARY_SIGMOID] = { 3, 0 },
  [CRD__UNARY_SQRT] = { 0.5000001, 0 },  [CRD__UNARY_TANH] = { 2, 0 },
  [CRD__UNARY_CELU] = { 4, 0 },          [CRD__UNARY_ELU] = { 3, 0 },
  [CRD__UNARY_MISH] = { 6, 1e-43 },      [CRD__UNARY_RECIPROCAL] = { 0.5000001, 0 },
  [CRD__UNARY_SELU] = { 4, 0 },          [CRD__UNARY_SHRINK] = { 0.5000001, 0 },
  [CRD__UNARY_SOFTPLUS] = { 3, 0 },      [CRD__UNARY_SOFTSIGN] = { 2, 0 },
  [CRD__UNARY_SWISH] = { 4, 3e-7 },
};

/* The functions with a kernel come first. */
#define KERNELS CRD__UNARY_ACOS

static const char *const names[] = {
#define X(id, name) #name,
  CRD__UNARY_LIST(X)
#undef X
};

static void check_value(crd__kernel_unary_id id, float x, float y, float a, float b) {
  const double right = right_value(id, (double)x, (double)a, (double)b), off = ulps(y, right);
  const bool zero = id == CRD__UNARY_SHRINK || id == CRD__UNARY_THRESHOLDED_RELU; /* of NaN, too */
  if (isnan(x) ? (zero ? y != 0 : !isnan(y))
               : !(off <= allowed[id].units) && !(fabs((double)y - right) <= allowed[id].absolute))
    fail_msg("%s(%a) is %a, not %a: %g ulp", names[id], (double)x, (double)y, right, off);
}

/* 0 times infinity: the definition differs from the limit. */
static bool without_limit(crd__kernel_unary_id id, float x) {
  return x == -INFINITY &&
         (id == CRD__UNARY_GELU || id == CRD__UNARY_GELU_TANH || id == CRD__UNARY_HARD_SWISH ||
          id == CRD__UNARY_MISH || id == CRD__UNARY_SWISH);
}

static void functions_are_near(void **state) {
  (void)state;
  const crd__kernel_f32_kernels *const best = crd__kernel_f32_kernels_best();
  static float x[MOST], y[MOST];
  for (crd__kernel_unary_id id = 0; id < KERNELS; id++) {
    const float a = id == CRD__UNARY_CLIP ? -0.5F : 0.2F, b = 0.75F;
    for (uint32_t start = 0; start < 200; start++) {
      for (size_t i = 0; i < MOST; i++) { /* all magnitudes, and the middle ones again */
        const uint32_t bits = (uint32_t)crd__random_bits(3, start, i);
        x[i] = start % 2 ? single(bits) : ((float)bits * 0x1p-31F - 1) * (start % 4 ? 12 : 2);
      }
      best->unary[id](MOST, x, y, a, b);
      for (size_t i = 0; i < MOST; i++)
        if (!without_limit(id, x[i])) check_value(id, x[i], y[i], a, b);
    }
  }
}

static void special_values(void **state) {
  (void)state;
  const float x[] = { 0.0F,      -0.0F,   INFINITY, -INFINITY, NAN,    0x1p-149F, -0x1p-149F,
                      0x1p-126F, 3.4e38F, -3.4e38F, 88.72F,    88.73F, -87.4F,    -103.9F,
                      -104.1F,   1,       -1,       0.9375F,   0.625F };
  enum { COUNT = sizeof x / sizeof *x };
  for (size_t k = 0; crd__kernel_f32_kernels_at(k); k++) {
    if (!usable(crd__kernel_f32_kernels_at(k)->name)) continue;
    for (crd__kernel_unary_id id = 0; id < KERNELS; id++) {
      float y[COUNT];
      const float a = id == CRD__UNARY_CELU ? 1 : -1; /* it is defined for a > 0 */
      crd__kernel_f32_kernels_at(k)->unary[id](COUNT, x, y, a, 2);
      for (size_t i = 0; i < COUNT; i++)
        if (!without_limit(id, x[i])) check_value(id, x[i], y[i], a, 2);
      if (id != CRD__UNARY_CLIP && id != CRD__UNARY_NEG && id != CRD__UNARY_ABS &&
          right_value(id, 0, -1, 2) == 0)
        assert_true(signbit(y[1]) && !signbit(y[0])); /* odd functions keep the sign of 0 */
    }
  }
}

static float values[MOST], others[MOST];

static void make_values(void) {
  for (size_t i = 0; i < MOST; i++) {
    values[i] = (float)(crd__random_uniform(5, 0, i) * 20 - 10);
    others[i] = (float)(crd__random_uniform(5, 1, i) * 20 - 10);
  }
}

static void check_same(const crd__kernel_f32_kernels *k, const crd__kernel_f32_kernels *plain,
                       size_t n) {
  float y[MOST], z[MOST];
  for (crd__kernel_unary_id id = 0; id < KERNELS; id++) {
    memcpy(y, values, n * sizeof *y);
    k->unary[id](n, y, y, -3, 4);
    plain->unary[id](n, values, z, -3, 4);
    for (size_t i = 0; i < n; i++)
      if (isnan(z[i])) y[i] = z[i];
    assert_memory_equal(y, z, n * sizeof *y);
  }
  for (crd__kernel_pair_id id = 0; id < CRD__PAIR_COUNT; id++)
    for (int sides = 0; sides < CRD__SIDES; sides++) {
      k->binary[id][sides](n, values, others, y);
      plain->binary[id][sides](n, values, others, z);
      for (size_t i = 0; i < n; i++)
        if (isnan(z[i])) y[i] = z[i];
      assert_memory_equal(y, z, n * sizeof *y);
    }
  for (crd__kernel_unary_id id = 0; id < KERNELS; id++)
    for (int from_y = 0; from_y <= (k->slope_y[id] != NULL); from_y++) {
      (from_y ? k->slope_y : k->slope_x)[id](n, values, others, y, -3, 4);
      (from_y ? plain->slope_y : plain->slope_x)[id](n, values, others, z, -3, 4);
      for (size_t i = 0; i < n; i++)
        if (isnan(z[i])) y[i] = z[i];
      assert_memory_equal(y, z, n * sizeof *y);
    }
  assert_true(k->sum(n, values) == plain->sum(n, values));
  assert_true(k->dot(n, values, 0.5F, others) == plain->dot(n, values, 0.5F, others));
  assert_true(k->squares(n, values, 0.5F) == plain->squares(n, values, 0.5F));
  k->bend(n, values, 0.5F, 3, 2, 1, y);
  plain->bend(n, values, 0.5F, 3, 2, 1, z);
  assert_memory_equal(y, z, n * sizeof *y);
  assert_true(k->max(n, values) == plain->max(n, values));
  assert_true(k->min(n, values) == plain->min(n, values));
  float mean[2], inverse[2];
  k->normalise(n, values, 1e-5F, others, values, y, &mean[0], &inverse[0]);
  plain->normalise(n, values, 1e-5F, others, values, z, &mean[1], &inverse[1]);
  assert_memory_equal(y, z, n * sizeof *y);
  assert_true(mean[0] == mean[1] && inverse[0] == inverse[1]);
}

typedef struct {
  double sums[4][CRD__F32_LANES];
  float y[MOST], dz[MOST], dx[MOST];
} channels_result;

static void run_channels(const crd__kernel_f32_kernels *k, size_t n, bool relu, bool adds,
                         channels_result *out) {
  crd__kernel_f32_channels p = { .relu = relu };
  memset(out, 0, sizeof *out);
  for (size_t j = 0; j < CRD__F32_LANES; j++) {
    p.mean[j] = values[j];
    p.factor[j] = others[j];
    p.shift[j] = values[j + 1] / 3;
    p.tilt[j] = others[j + 2] / 7;
    p.level[j] = values[j + 3];
  }
  k->channel_moments(n, values, p.mean, out->sums[0], out->sums[1]);
  k->channel_normalise(n, &p, values, adds ? others : NULL, out->y);
  k->channel_sums(n, &p, values, adds ? out->y : NULL, others, out->dz, out->sums[2], out->sums[3]);
  k->channel_bend(n, &p, values, adds ? out->y : NULL, others, out->dx);
}

static void check_channels(const crd__kernel_f32_kernels *k, const crd__kernel_f32_kernels *plain,
                           size_t n) {
  static channels_result ours, theirs;
  for (int kind = 0; kind < 4; kind++) {
    run_channels(k, n, kind & 1, kind & 2, &ours);
    run_channels(plain, n, kind & 1, kind & 2, &theirs);
    assert_memory_equal(&ours, &theirs, sizeof ours);
  }
}

static void every_set_has_the_same_bits(void **state) {
  (void)state;
  size_t last = 0;
  make_values();
  while (crd__kernel_f32_kernels_at(last + 1)) last++;
  for (size_t k = 0; k < last; k++)
    for (size_t n = 1; usable(crd__kernel_f32_kernels_at(k)->name) && n <= 150; n++) {
      check_same(crd__kernel_f32_kernels_at(k), crd__kernel_f32_kernels_at(last),
                 n == 150 ? MOST : n);
      check_channels(crd__kernel_f32_kernels_at(k), crd__kernel_f32_kernels_at(last),
                     n == 150 ? MOST : n);
    }
}

static void rows_are_right(void **state) {
  (void)state;
  const crd__kernel_f32_kernels *const best = crd__kernel_f32_kernels_best();
  make_values();
  for (size_t n = 1; n <= MOST; n += n < 200 ? 1 : 1200) {
    double sum = 0, square = 0, size = 0, product = 0, products = 0;
    float top = values[0], low = values[0], y[MOST], mean, inverse;
    for (size_t i = 0; i < n; i++) {
      sum += (double)values[i];
      size += fabs((double)values[i]);
      product += ((double)values[i] - 0.5) * (double)others[i];
      products += fabs(((double)values[i] - 0.5) * (double)others[i]);
      top = fmaxf(top, values[i]);
      low = fminf(low, values[i]);
    }
    for (size_t i = 0; i < n; i++) square += pow((double)values[i] - sum / (double)n, 2);
    assert_true(fabs(best->sum(n, values) - sum) <= 1e-7 * size);
    assert_true(fabs(best->dot(n, values, 0.5F, others) - product) <= 4e-7 * products);
    assert_true(best->max(n, values) == top && best->min(n, values) == low);
    best->normalise(n, values, 0.25F, others, NULL, y, &mean, &inverse);
    const double right = 1 / sqrt(square / (double)n + 0.25);
    assert_true(fabs((double)mean - sum / (double)n) <= 2e-6 &&
                fabs((double)inverse / right - 1) <= 1e-6);
    for (size_t i = 0; i < n; i++)
      assert_true(fabs((double)y[i] -
                       ((double)values[i] - sum / (double)n) * right * (double)others[i]) <= 2e-5);
    const float keep = values[n / 2];
    values[n / 2] = NAN;
    assert_true(isnan(best->max(n, values)) && isnan(best->min(n, values)) &&
                isnan(best->sum(n, values)));
    values[n / 2] = keep;
  }
}

/* A sum in one float32 would be wrong from the second digit on. */
static void long_sums_are_exact_enough(void **state) {
  (void)state;
  enum { LONG = 1 << 22 };
  float *const x = malloc(LONG * sizeof *x);
  assert_non_null(x);
  for (size_t i = 0; i < LONG; i++) x[i] = 0.1F;
  assert_true(fabs(crd__kernel_f32_kernels_best()->sum(LONG, x) / LONG / (double)0.1F - 1) < 1e-6);
  free(x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(functions_are_near),          cmocka_unit_test(special_values),
    cmocka_unit_test(every_set_has_the_same_bits), cmocka_unit_test(rows_are_right),
    cmocka_unit_test(long_sums_are_exact_enough),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

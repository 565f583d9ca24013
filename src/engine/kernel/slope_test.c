/* slope_test.c -- derivatives of every function against central differences in float64. */
#include "engine/kernel/slope.h"

#include "support.h"

#include "engine/kernel/unary.h"

#include <math.h>

enum { MANY = 20001 };

static const double a = 0.25, b = 0.75, step = 1e-5;

static float x[MANY], y[MANY], dy[MANY], dx[MANY], again[MANY];
static double right[MANY], low[MANY], high[MANY];

/* If f has a kink within a step, neither derivative matches. */
static bool near_kink(crd__kernel_unary_id id, double at) {
  static const struct {
    size_t count;
    double at[2];
  } kinks[CRD__UNARY_COUNT] = {
    [CRD__UNARY_CLIP] = { 2, { 0.25, 0.75 } },
    [CRD__UNARY_HARD_SIGMOID] = { 2, { -3, 1 } },
    [CRD__UNARY_HARD_SWISH] = { 2, { -3, 3 } },
    [CRD__UNARY_LEAKY_RELU] = { 1, { 0 } },
    [CRD__UNARY_RELU] = { 1, { 0 } },
    [CRD__UNARY_ABS] = { 1, { 0 } },
    [CRD__UNARY_CELU] = { 1, { 0 } },
    [CRD__UNARY_ELU] = { 1, { 0 } },
    [CRD__UNARY_SELU] = { 1, { 0 } },
    [CRD__UNARY_SHRINK] = { 2, { -0.25, 0.25 } },
    [CRD__UNARY_SIGN] = { 1, { 0 } },
    [CRD__UNARY_SOFTSIGN] = { 1, { 0 } },
    [CRD__UNARY_THRESHOLDED_RELU] = { 1, { 0.25 } },
  };
  const bool steps = id == CRD__UNARY_CEIL || id == CRD__UNARY_FLOOR || id == CRD__UNARY_ROUND;
  if (steps && fabs(2 * at - rint(2 * at)) <= 4 * step) return true;
  for (size_t i = 0; i < kinks[id].count; i++)
    if (fabs(at - kinks[id].at[i]) <= 2 * step) return true;
  return false;
}

/* Where a function is defined, and its third derivative moderate. */
static const struct {
  float from, to;
} ranges[CRD__UNARY_COUNT] = {
  [CRD__UNARY_ACOS] = { -0.9F, 0.9F }, [CRD__UNARY_ACOSH] = { 1.2F, 9 },
  [CRD__UNARY_ASIN] = { -0.9F, 0.9F }, [CRD__UNARY_ATANH] = { -0.9F, 0.9F },
  [CRD__UNARY_LOG] = { 0.2F, 19 },     [CRD__UNARY_RECIPROCAL] = { 0.2F, 19 },
  [CRD__UNARY_SQRT] = { 0.2F, 19 },    [CRD__UNARY_TAN] = { -1.2F, 1.2F },
};

static void make(crd__kernel_unary_id id) {
  const bool limited = ranges[id].to > 0;
  const float from = limited ? ranges[id].from : -9.8F, to = limited ? ranges[id].to : 9.8F;
  for (size_t i = 0; i < MANY; i++) {
    x[i] = from + (to - from) * (float)i / (MANY - 1);
    dy[i] = 1 + (float)(i % 7) / 4;
    low[i] = (double)x[i] - step;
    high[i] = (double)x[i] + step;
  }
  crd__kernel_unary(1, id, a, b, CRD_F32, MANY, x, y);
  crd__kernel_unary(1, id, a, b, CRD_F64, MANY, low, low);
  crd__kernel_unary(1, id, a, b, CRD_F64, MANY, high, high);
  for (size_t i = 0; i < MANY; i++) right[i] = (double)dy[i] * (high[i] - low[i]) / (2 * step);
}

/* float32 results are within some 2^-23 of a product of three factors; from a rounded y, 1 - y is
 * within 2^-24 of 1. The differences have errors of step^2 f''' and 2^-53 f / step. */
static void slopes_are_right(void **state) {
  (void)state;
  for (int id = 0; id < CRD__UNARY_COUNT; id++) {
    make((crd__kernel_unary_id)id);
    for (int from_y = 0; from_y <= crd__kernel_slope_from_y((crd__kernel_unary_id)id, a);
         from_y++) {
      const float *const given = from_y ? y : x;
      crd__kernel_slope(1, (crd__kernel_unary_id)id, a, b, from_y, MANY, given, dy, dx);
      crd__kernel_slope(2, (crd__kernel_unary_id)id, a, b, from_y, MANY, given, dy, again);
      assert_memory_equal(dx, again, sizeof dx);
      for (size_t i = 0; i < MANY; i++)
        if (!near_kink((crd__kernel_unary_id)id, (double)x[i]))
          assert_true(fabs((double)dx[i] - right[i]) <= 1e-6 * (1 + fabs(right[i])));
    }
  }
}

static void kinks_are_torchs(void **state) {
  (void)state;
  static const struct {
    crd__kernel_unary_id id;
    bool from_y;
    float given, slope;
  } cases[] = {
    { CRD__UNARY_RELU, false, 0, 0 },           { CRD__UNARY_RELU, true, 0, 0 },
    { CRD__UNARY_LEAKY_RELU, false, 0, 0.25F }, { CRD__UNARY_CLIP, false, 0.25F, 1 },
    { CRD__UNARY_CLIP, false, 0.75F, 1 },       { CRD__UNARY_CLIP, true, 0.75F, 0 },
    { CRD__UNARY_HARD_SIGMOID, false, 1, 0 },   { CRD__UNARY_HARD_SWISH, false, -3, -0.5F },
    { CRD__UNARY_HARD_SWISH, false, 3, 1.5F },  { CRD__UNARY_GELU, false, INFINITY, 1 },
    { CRD__UNARY_GELU, false, -INFINITY, 0 },   { CRD__UNARY_GELU_TANH, false, 1e30F, 1 },
    { CRD__UNARY_GELU_TANH, false, -1e30F, 0 }, { CRD__UNARY_ERF, false, INFINITY, 0 },
    { CRD__UNARY_TANH, false, -INFINITY, 0 },   { CRD__UNARY_ABS, false, 0, 0 },
    { CRD__UNARY_ELU, false, 0, 0.25F },        { CRD__UNARY_MISH, false, -INFINITY, 0 },
    { CRD__UNARY_MISH, false, INFINITY, 1 },    { CRD__UNARY_SWISH, false, INFINITY, 1 },
    { CRD__UNARY_SWISH, false, -INFINITY, 0 },  { CRD__UNARY_SOFTPLUS, false, INFINITY, 1 },
    { CRD__UNARY_SHRINK, false, 0.25F, 0 },     { CRD__UNARY_THRESHOLDED_RELU, false, 0.25F, 0 },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const float one = 1;
    float slope;
    crd__kernel_slope(1, cases[i].id, a, b, cases[i].from_y, 1, &cases[i].given, &one, &slope);
    assert_true(fabs((double)slope - (double)cases[i].slope) <= 1e-7);
  }
  assert_false(crd__kernel_slope_from_y(CRD__UNARY_LEAKY_RELU, -0.5));
  assert_false(crd__kernel_slope_from_y(CRD__UNARY_GELU, 0));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(slopes_are_right),
    cmocka_unit_test(kinks_are_torchs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

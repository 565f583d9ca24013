/* spearman_test.c -- rank correlation with and without ties: values of SciPy, and plain loops. */
#include "base/random.h"
#include "math/spearman.h"
#include "support.h"

#include <math.h>

enum { COUNT = 400 };

static double spearman(crd_context *ctx, const double *x, const double *y, size_t count) {
  double rho = 0;
  assert_int_equal(crd__math_spearman(ctx, x, y, count, &rho), CRD_OK);
  return rho;
}

/* scipy.stats.spearmanr of SciPy 1.16. */
static void values_are_known(void **state) {
  static const double x[] = { 3, 1, 1, 2, 5, 5, 5, 8 };
  static const double y[] = { .1, .7, .7, .2, .9, .1, .3, .3 };
  static const double rising[] = { -7, -2, -0.5, 0, 0.25, 4, 9, 1e300 };
  static const double falling[] = { 8, 7, 6, 5, 4, 3, 2, 1 };
  assert_true(near(spearman(*state, x, y, 8), -0.18751465015433733, 1e-15));
  assert_true(near(spearman(*state, rising, falling, 8), -1, 1e-15));
  assert_true(near(spearman(*state, rising, rising, 8), 1, 1e-15));
}

static void equal_values_have_none(void **state) {
  static const double same[] = { 2, 2, 2 }, x[] = { 1, 2, 3 }, zeros[] = { 0.0, -0.0, 0.0 };
  assert_true(isnan(spearman(*state, same, x, 3)));
  assert_true(isnan(spearman(*state, x, same, 3)));
  assert_true(isnan(spearman(*state, x, zeros, 3)));
  assert_true(isnan(spearman(*state, x, x, 1)));
  assert_true(isnan(spearman(*state, x, x, 0)));
}

static double slow_rank(const double *values, size_t at) {
  double rank = 0;
  for (size_t i = 0; i < COUNT; i++)
    rank += (values[i] < values[at]) + 0.5 * (values[i] == values[at]);
  return rank;
}

static void plain_loops_agree(void **state) {
  double x[COUNT], y[COUNT], both = 0, first = 0, second = 0;
  for (size_t i = 0; i < COUNT; i++) {
    x[i] = floor(8 * crd__random_normal(1, 0, i));
    y[i] = floor(4 * (crd__random_normal(1, 1, i) - 0.1 * x[i]));
  }
  for (size_t i = 0; i < COUNT; i++) {
    const double r = slow_rank(x, i) - COUNT / 2.0, s = slow_rank(y, i) - COUNT / 2.0;
    both += r * s;
    first += r * r;
    second += s * s;
  }
  const double rho = spearman(*state, x, y, COUNT);
  assert_true(rho < -0.3 && near(rho, both / sqrt(first * second), 1e-14));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(values_are_known),
    cmocka_unit_test(equal_values_have_none),
    cmocka_unit_test(plain_loops_agree),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

/* brownian_test.c -- tail probabilities: known moments and quantiles, continuity. */
#include "math/brownian.h"
#include "support.h"

#include <math.h>

/* The integral of 2^(power - 1) x^(power - 1) P(X >= x) over x, by Simpson's rule. */
static double moment(double (*p)(double), int power) {
  enum { STEPS = 20000 };
  const double width = 20.0 / STEPS;
  double sum = 0;
  for (int i = 0; i <= STEPS; i++) {
    const double x = i * width, f = power == 1 ? p(x) : 2 * x * p(x);
    sum += f * (i == 0 || i == STEPS ? 1 : i % 2 ? 4 : 2);
  }
  return sum * width / 3;
}

static const double pi = 3.14159265358979323846;

/* Means and second moments are known in closed form. */
static void moments_are_known(void **state) {
  (void)state;
  static const double catalan = 0.91596559417721901505;
  assert_true(near(moment(crd__math_brownian_peak_p, 1), sqrt(pi / 2), 1e-12));
  assert_true(near(moment(crd__math_brownian_peak_p, 2), 2 * catalan, 1e-12));
  assert_true(near(moment(crd__math_brownian_range_p, 1), sqrt(8 / pi), 1e-12));
  assert_true(near(moment(crd__math_brownian_range_p, 2), 4 * log(2), 1e-12));
  assert_true(near(moment(crd__math_normal_p, 2), 1, 1e-12));
}

/* At the crossover of the two series, and at the ends. */
static void nothing_jumps(void **state) {
  (void)state;
  double (*const all[])(double) = { crd__math_normal_p, crd__math_brownian_peak_p,
                                    crd__math_brownian_range_p };
  for (size_t f = 0; f < 3; f++) {
    assert_true(all[f](0) == 1);
    for (int i = 0; i < 12 * 1024; i++) {
      const double x = i / 1024.0, here = all[f](x), next = all[f](x + 1e-9);
      if (!(here >= next && here - next <= 1e-9 && here <= 1 && next >= 0))
        fail_msg("function %zu goes from %.17g to %.17g at %g", f, here, next, x);
    }
    assert_true(all[f](9) > 0 && all[f](9) < 1e-17);
    assert_true(all[f](1e9) == 0 && all[f](INFINITY) == 0);
  }
}

/* The usual significance levels. */
static void quantiles_are_known(void **state) {
  (void)state;
  assert_true(near(crd__math_normal_p(-1.959963984540054), 0.05, 1e-15));
  assert_true(near(crd__math_brownian_peak_p(2.241402727604947), 0.05, 1e-9)); /* 4 Q(x), nearly */
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(moments_are_known),
    cmocka_unit_test(nothing_jumps),
    cmocka_unit_test(quantiles_are_known),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

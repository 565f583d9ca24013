/* special_test.c -- beside the C library's functions, and closed forms. */
#include "support.h"

#include "math/special.h"

#include <float.h>
#include <math.h>

static void error_function_of_the_library(void **state) {
  (void)state;
  for (int i = -60000; i <= 270000; i++) {
    const double x = i * 1e-4;
    if (fabs(crd__math_erf(x) - erf(x)) > 2 * DBL_EPSILON * fabs(erf(x)))
      fail_msg("erf(%g) is %.17g, expected %.17g", x, crd__math_erf(x), erf(x));
    if (fabs(crd__math_erfc(x) - erfc(x)) > 8 * DBL_EPSILON * erfc(x) + DBL_MIN)
      fail_msg("erfc(%g) is %.17g, expected %.17g", x, crd__math_erfc(x), erfc(x));
  }
}

static void ends_of_the_error_function(void **state) {
  (void)state;
  assert_true(crd__math_erf(0) == 0 && crd__math_erfc(0) == 1);
  assert_true(crd__math_erf(INFINITY) == 1 && crd__math_erf(-INFINITY) == -1);
  assert_true(crd__math_erfc(INFINITY) == 0 && crd__math_erfc(-INFINITY) == 2);
  assert_true(crd__math_erfc(28) == 0 && crd__math_erfc(-28) == 2);
  assert_true(isnan(crd__math_erf(NAN)) && isnan(crd__math_erfc(NAN)));
  assert_true(crd__math_erf(1e-300) == 1e-300 * 1.1283791670955126);
}

static void log_gamma_of_the_library(void **state) {
  (void)state;
  for (int i = 1; i <= 200000; i++) {
    const double x = i < 100000 ? i * 1e-3 : exp((i - 100000) * 2e-4), expected = lgamma(x);
    if (fabs(crd__math_lgamma(x) - expected) > fmax(8e-15, 3 * DBL_EPSILON * fabs(expected)))
      fail_msg("lgamma(%.17g) is %.17g, expected %.17g", x, crd__math_lgamma(x), expected);
  }
  for (double x = 1e-3; x > 1e-300; x /= 7)
    assert_true(fabs(crd__math_lgamma(x) + log(x)) <= 1e-3 + 4e-13);
}

/* log (n - 1)!, as a sum of logarithms */
static void log_gamma_of_integers(void **state) {
  double sum = 0;
  (void)state;
  for (int n = 1; n < 100; n++) {
    assert_true(fabs(crd__math_lgamma(n) - sum) <= 1e-14 * (1 + sum));
    sum += log(n);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(error_function_of_the_library),
    cmocka_unit_test(ends_of_the_error_function),
    cmocka_unit_test(log_gamma_of_the_library),
    cmocka_unit_test(log_gamma_of_integers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

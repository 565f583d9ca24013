/* gaps_test.c -- moments and two-sample t-tests: values of NumPy and SciPy, and their edge cases.
 */
#include "calibratability/calibratability.h"
#include "support.h"

#include <math.h>

static const double ce[] = { 0.0101, 0.0123, 0.0098, 0.0131, 0.0110 };
static const double smoothing[] = { 0.0151, 0.0143, 0.0178, 0.0161, 0.0139 };
static const double focal[] = { 0.02, (double)NAN, 0.03, 0.011 };

#define MOMENTS(values) crd__calibratability_moments(values, sizeof(values) / sizeof *(values))

static void moments_are_those_of_numpy(void **state) {
  const crd_series_value five = MOMENTS(ce), three = MOMENTS(focal);
  (void)state;
  assert_int_equal(five.runs, 5);
  assert_true(near(five.mean, 0.01126, 1e-17) && near(five.std, 0.0014152738250953422, 1e-16));
  assert_int_equal(three.runs, 3);
  assert_true(near(three.mean, 0.061 / 3, 1e-16) && near(three.std, 0.009504384952922168, 1e-16));
}

/* scipy.stats.ttest_ind with equal_var=False, and with True for p_pooled. */
static void tests_are_those_of_scipy(void **state) {
  const crd_series_value base = MOMENTS(ce), second = MOMENTS(smoothing), third = MOMENTS(focal);
  const crd_calibratability_gap a = crd__calibratability_gap(&second, &base);
  const crd_calibratability_gap b = crd__calibratability_gap(&third, &base);
  (void)state;
  assert_null(a.reason);
  assert_true(near(a.value, 0.00418, 1e-16) && near(a.t, 4.430293380615832, 1e-12));
  assert_true(near(a.freedom, 7.920827314086871, 1e-12));
  assert_true(near(a.p, 0.002250242434857773, 1e-14));
  assert_true(near(a.p_pooled, 0.002196149436192102, 1e-14));
  assert_true(near(b.value, 0.00907333333333333, 1e-15) && near(b.t, 1.6426066785713846, 1e-12));
  assert_true(near(b.freedom, 2.053388509319979, 1e-12));
  assert_true(near(b.p, 0.23895991342858897, 1e-13));
  assert_true(near(b.p_pooled, 0.068616873889937, 1e-13));
}

static void one_run_has_no_test(void **state) {
  static const double one[] = { 0.02 }, none[] = { (double)NAN };
  const crd_series_value base = MOMENTS(ce), single = MOMENTS(one), empty = MOMENTS(none);
  const crd_calibratability_gap a = crd__calibratability_gap(&single, &base);
  const crd_calibratability_gap b = crd__calibratability_gap(&base, &single);
  const crd_calibratability_gap c = crd__calibratability_gap(&empty, &base);
  (void)state;
  assert_true(near(a.value, 0.00874, 1e-15) && isnan(a.p) && isnan(a.p_pooled) && isnan(a.t));
  assert_string_equal(a.reason, "a t-test needs at least two runs of both training methods");
  assert_non_null(b.reason);
  assert_true(isnan(b.p) && isnan(c.value) && isnan(c.p));
  assert_non_null(c.reason);
}

/* The last digit of equal runs is rounding: no spread to test against. */
static void equal_runs_have_no_test(void **state) {
  static const double same[] = { 0.1, 0.1, 0.1 }, other[] = { 0.2, 0.2, 0.2 + 0x1p-55 };
  const crd_series_value a = MOMENTS(same), b = MOMENTS(other), spread = MOMENTS(ce);
  const crd_calibratability_gap equal = crd__calibratability_gap(&a, &a);
  const crd_calibratability_gap far = crd__calibratability_gap(&b, &a);
  const crd_calibratability_gap half = crd__calibratability_gap(&spread, &a);
  (void)state;
  assert_true(equal.p == 1 && equal.value == 0 && !equal.reason);
  assert_true(isnan(far.p));
  assert_string_equal(far.reason, "all runs of a training method have the same value");
  assert_true(half.p < 1e-6 && near(half.freedom, 4, 1e-9));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(moments_are_those_of_numpy),
    cmocka_unit_test(tests_are_those_of_scipy),
    cmocka_unit_test(one_run_has_no_test),
    cmocka_unit_test(equal_runs_have_no_test),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

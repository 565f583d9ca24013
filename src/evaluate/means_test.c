/* means_test.c -- means over bins, weighted, without empty ones. */
#include "evaluate/means.h"
#include "support.h"

#include <math.h>

static void bins_count_by_weight(void **state) {
  static const crd_reliability_bin bins[] = {
    { .weight = .25, .confidence = .5, .accuracy = 1 },
    { .weight = 0, .confidence = (double)NAN, .accuracy = (double)NAN },
    { .weight = .75, .confidence = .9, .accuracy = .6 },
  };
  const crd_result result = { .bin_count = 3, .bins = bins };
  const crd__evaluate_means m = crd__evaluate_bin_means(&result);
  (void)state;
  assert_true(near(m.confidence, .8, 1e-15));
  assert_true(near(m.accuracy, .7, 1e-15));
}

static void none_without_bins(void **state) {
  const crd_result result = { .bin_count = 0 };
  const crd__evaluate_means m = crd__evaluate_bin_means(&result);
  (void)state;
  assert_true(isnan(m.confidence) && isnan(m.accuracy));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(bins_count_by_weight),
    cmocka_unit_test(none_without_bins),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

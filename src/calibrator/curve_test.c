/* curve_test.c -- curves with slopes and jumps, against a linear search. */
#include "calibrator/curve.h"
#include "support.h"

#include <math.h>

static double slow_at(const double *x, const double *y, size_t count, double at) {
  double value = y[count - 1];
  for (size_t j = 0; j < count; j++) {
    if (at > x[j]) continue;
    const double share = j && at < x[j] ? (at - x[j - 1]) / (x[j] - x[j - 1]) : 1;
    value = j ? (1 - share) * y[j - 1] + share * y[j] : y[0];
    break;
  }
  return value < 0 ? 0 : value > 1 ? 1 : value;
}

static void looked_up(void **state) {
  static const double x[] = { -2, -1, -1, 0, .5, .5, .75, 3 };
  static const double y[] = { .1, .1, .4, .2, .9, .3, .3, 1.2 };
  (void)state;
  for (size_t count = 1; count <= 8; count++)
    for (int i = -24; i <= 32; i++) {
      const double at = i / 8.;
      assert_true(near(crd__calibrator_curve_at(x, y, count, at), slow_at(x, y, count, at), 1e-15));
    }
  assert_true(
      same_bits(crd__calibrator_curve_at(x, y, 8, -1), .1)); /* a jump belongs to the left */
  assert_true(same_bits(crd__calibrator_curve_at(x, y, 8, nextafter(-1, 0)), .4));
  assert_true(same_bits(crd__calibrator_curve_at(x, y, 8, .6),
                        .3)); /* a constant stretch is exactly constant */
  assert_true(same_bits(crd__calibrator_curve_at(x, y, 8, 1e300), 1));
}

static void level_stretches_are_two_points(void **state) {
  crd__calibrator_curve curve;
  assert_int_equal(crd__calibrator_curve_create(*state, 6, &curve), CRD_OK);
  crd__calibrator_curve_add_step(&curve, 0, .2, .5);
  crd__calibrator_curve_add_step(&curve, .2, .4, .5);
  crd__calibrator_curve_add_step(&curve, .4, .6, .5);
  assert_int_equal(curve.count, 2);
  crd__calibrator_curve_add_step(&curve, .6, .8, .7);
  crd__calibrator_curve_add_step(&curve, .8, 1, .5);
  assert_int_equal(curve.count, 6);
  assert_true(same_bits(curve.x[1], .6) && same_bits(curve.x[2], .6));
  crd__calibrator_curve_clear(&((crd_context *)*state)->alloc, &curve);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(looked_up),
    cmocka_unit_test(level_stretches_are_two_points),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

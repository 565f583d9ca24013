/* label_smoothing_test.c -- the smoothed target itself, and an epsilon below 0. */
#include "losses.h"

#include <math.h>
#include <string.h>

static void target_is_smoothed(void **state) {
  static const double z[3] = { .5, -1, 2 }, t[3] = { .5, .5, 0 };
  double smooth[3], a[3], b[3];
  for (size_t k = 0; k < 3; k++) smooth[k] = .7 * t[k] + .1;
  const double found = loss_of(*state, "label-smoothing(epsilon=0.3)", NULL,
                               (small_batch){ 1, 3, z, NULL, t, NULL }, a);
  assert_true(near(
      found, loss_of(*state, "ce", NULL, (small_batch){ 1, 3, z, NULL, smooth, NULL }, b), 1e-15));
  for (size_t k = 0; k < 3; k++) assert_true(near(a[k], b[k], 1e-15));
}

static void epsilon_below_0_is_meant(void **state) {
  const crd_loss_options negative = { .size = sizeof negative, .allow_negative = 1 };
  const char *const text = "label-smoothing(epsilon=-0.05)";
  crd_loss *loss;
  expect_refused(*state, text, NULL, "epsilon is below 0");
  assert_int_equal(crd_loss_create(*state, text, &negative, &loss), CRD_OK);
  assert_non_null(strstr(crd_loss_note(loss, 0), "epsilon is below 0"));
  crd_loss_destroy(loss);
  expect_refused(*state, "label-smoothing(epsilon=1.5)", &negative, "from -1 to 1");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(target_is_smoothed),
    cmocka_unit_test(epsilon_below_0_is_meant),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

/* inverse_focal_test.c -- the upper limit of gamma. */
#include "losses.h"

#include <math.h>

static void too_large_gamma_is_refused(void **state) {
  expect_refused(*state, "ce + inverse-focal(gamma=3.6)", NULL, "stationary point");
  expect_refused(*state, "inverse-focal(gamma=3.5912)", NULL,
                 "gamma=3.5912, allowed are 0 to 3.59");
}

/* dl/dz_y of two classes: never above 0 up to the limit, which is not chosen too low. */
static double steepest(crd_context *ctx, const char *expression) {
  double most = -1;
  for (int i = 0; i < 4000; i++) {
    const double z[2] = { -4 + i * 0.002, 0 };
    const int64_t label = 0;
    double g[2];
    loss_of(ctx, expression, NULL, (small_batch){ .rows = 1, 2, z, &label }, g);
    most = fmax(most, g[0]);
  }
  return most;
}

static void gamma_is_allowed_as_far_as_the_loss_falls(void **state) {
  const double most = steepest(*state, "inverse-focal(gamma=3.5911)");
  assert_true(most <= 0);
  assert_true(most > -1e-4);
  assert_true(steepest(*state, "inverse-focal(gamma=50,detach=yes)") < 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(too_large_gamma_is_refused),
    cmocka_unit_test(gamma_is_allowed_as_far_as_the_loss_falls),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

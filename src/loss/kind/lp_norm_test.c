/* lp_norm_test.c -- zeros, and norms whose squares overflow. */
#include "losses.h"

#include <math.h>

static void zero_has_no_direction(void **state) {
  static const char *const all[] = { "lp-norm", "lp-norm(p=1.5)", "lp-norm(p=2)" };
  const double z[3] = { 0, -0.0, 0 };
  const int64_t label = 1;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    double g[3] = { 7, 7, 7 };
    assert_true(loss_of(*state, all[i], NULL, (small_batch){ .rows = 1, 3, z, &label }, g) == 0);
    assert_true(g[0] == 0 && g[1] == 0 && g[2] == 0);
  }
}

static void signs_are_the_gradient_of_p_1(void **state) {
  const double z[4] = { -2, 0, 0.5, -0.0 };
  const int64_t label = 1;
  double g[4];
  assert_true(loss_of(*state, "lp-norm", NULL, (small_batch){ .rows = 1, 4, z, &label }, g) == 2.5);
  assert_true(g[0] == -1 && g[1] == 0 && g[2] == 1 && g[3] == 0);
}

static void far_lengths_are_as_near_ones(void **state) {
  static const double sizes[] = { 1, 1e-310, 1e-200, 1e200, 1e307 };
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    const double z[3] = { 3 * sizes[i], -4 * sizes[i], 0 };
    const int64_t label = 0;
    double g[3];
    const double value =
        loss_of(*state, "lp-norm(p=2)", NULL, (small_batch){ .rows = 1, 3, z, &label }, g);
    assert_true(fabs(value / (5 * sizes[i]) - 1) < 1e-14);
    assert_true(near(g[0], 0.6, 1e-14) && near(g[1], -0.8, 1e-14) && g[2] == 0);
  }
}

/* The norm 2e308 overflows, but the logits are finite. */
static void a_length_without_end_has_a_direction(void **state) {
  const double z[2] = { 1.2e308, -1.6e308 };
  const int64_t label = 0;
  double g[2];
  const small_batch row = { .rows = 1, 2, z, &label };
  assert_true(isinf(loss_of(*state, "lp-norm(p=2)", NULL, row, g)));
  assert_true(near(g[0], 0.6, 1e-14) && near(g[1], -0.8, 1e-14));
}

static void norms_are_those_of_the_formula(void **state) {
  const double z[3] = { 1.5, -0.25, 2 }, p = 3;
  const double norm = cbrt(1.5 * 1.5 * 1.5 + 0.25 * 0.25 * 0.25 + 8);
  const int64_t label = 0;
  double g[3];
  assert_true(
      near(loss_of(*state, "lp-norm(p=3)", NULL, (small_batch){ .rows = 1, 3, z, &label }, g), norm,
           1e-15));
  for (size_t k = 0; k < 3; k++)
    assert_true(near(g[k], (z[k] < 0 ? -1 : 1) * pow(fabs(z[k]) / norm, p - 1), 1e-15));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(zero_has_no_direction),
    cmocka_unit_test(signs_are_the_gradient_of_p_1),
    cmocka_unit_test(far_lengths_are_as_near_ones),
    cmocka_unit_test(a_length_without_end_has_a_direction),
    cmocka_unit_test(norms_are_those_of_the_formula),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

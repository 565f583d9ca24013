/* brier_test.c -- confident rows, correct and wrong: small gradients to full precision. */
#include "losses.h"

#include <math.h>

/* Two classes, 1 - p = q: l = 2 q^2, dl/dz_y = -4 q^2 (1 - q). */
static void small_gradients_keep_their_digits(void **state) {
  for (int z1 = 0; z1 < 300; z1 += 7) {
    const double z[2] = { z1, 0 }, q = exp(-z1) / (1 + exp(-z1)), p = 1 / (1 + exp(-z1));
    int64_t y = 0;
    double g[2];
    const small_batch row = { .rows = 1, 2, z, &y };
    const double right = loss_of(*state, "brier", NULL, row, g);
    assert_true(fabs(right / (2 * q * q) - 1) < 1e-13);
    assert_true(fabs(g[0] / (-4 * q * q * p) - 1) < 1e-13 && g[1] == -g[0]);
    y = 1;
    assert_true(near(loss_of(*state, "brier", NULL, row, g), 2 * p * p, 1e-14));
    assert_true(fabs(g[0] / (4 * p * p * q) - 1) < 1e-13 && g[1] == -g[0]);
  }
}

/* Soft targets, by the formula. */
static void shares_are_targets(void **state) {
  const double z[3] = { .5, -1, 2 }, t[3] = { .5, .25, .25 };
  double p[3], g[3], mass = 0, mean = 0, value = 0;
  for (size_t k = 0; k < 3; k++) mass += exp(z[k]);
  for (size_t k = 0; k < 3; k++) {
    p[k] = exp(z[k]) / mass;
    mean += p[k] * (p[k] - t[k]);
    value += (p[k] - t[k]) * (p[k] - t[k]);
  }
  assert_true(near(loss_of(*state, "brier", NULL, (small_batch){ 1, 3, z, NULL, t, NULL }, g),
                   value, 1e-15));
  for (size_t k = 0; k < 3; k++) assert_true(near(g[k], 2 * p[k] * (p[k] - t[k] - mean), 1e-15));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(small_gradients_keep_their_digits),
    cmocka_unit_test(shares_are_targets),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

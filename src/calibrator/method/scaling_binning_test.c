/* scaling_binning_test.c -- compared with its three steps in sequence. */
#include "support.h"

#include <math.h>

enum { ROWS = 200, BINS = 15 };

/* Platt scaling's curve is cut into bins of equal mass, with its mean in each. */
static void is_the_mean_of_platt(void **state) {
  double p[ROWS], g[ROWS], weights[ROWS];
  unsigned char correct[ROWS];
  for (size_t i = 0; i < ROWS; i++) {
    p[i] = (double)(i + 1) / (ROWS + 1);
    correct[i] = (double)(i * 47 % 101) / 101 < p[i] * p[i];
    weights[i] = 3;
  }
  const test_pairs pairs = { ROWS, p, correct, weights };
  crd_calibrator *const platt = fit_pairs(*state, "platt", NULL, pairs);
  crd_calibrator *const c = fit_pairs(*state, "scaling-binning", NULL, pairs);
  for (size_t i = 0; i < ROWS; i++) g[i] = calibrated(*state, platt, p[i]);
  for (size_t b = 0, from = 0, to; b < BINS; b++, from = to) {
    double mean = 0;
    to = from + ROWS / BINS + (b < ROWS % BINS);
    for (size_t i = from; i < to; i++) mean += g[i] / (double)(to - from);
    for (size_t i = from; i < to; i++) assert_true(near(calibrated(*state, c, p[i]), mean, 1e-12));
    /* The bin ends where the scaled probability, not the given one, is half-way. */
    for (size_t t = 1; to < ROWS && t < 20; t += 2) {
      const double at = p[to - 1] + (double)t / 20 * (p[to] - p[to - 1]);
      const bool below = calibrated(*state, platt, at) <= (g[to - 1] + g[to]) / 2;
      assert_true(near(calibrated(*state, c, at), mean, 1e-12) == below);
    }
  }
  assert_true(near(crd_calibrator_certificate(c)->objective,
                   crd_calibrator_certificate(platt)->objective, 1e-15));
  crd_calibrator_destroy(platt);
  crd_calibrator_destroy(c);
}

/* A decreasing and a constant curve. */
static void any_slope_has_bins(void **state) {
  static const double p[6] = { .1, .2, .3, .6, .7, .8 };
  static const unsigned char falling[6] = { 1, 1, 0, 1, 0, 0 }, never[6] = { 0 };
  crd_calibrator *c =
      fit_pairs(*state, "scaling-binning", "bins=2", (test_pairs){ 6, p, falling, NULL });
  assert_true(calibrated(*state, c, .15) > calibrated(*state, c, .75));
  assert_true(near((calibrated(*state, c, .1) + calibrated(*state, c, .8)) / 2, .5, 1e-9));
  crd_calibrator_destroy(c);
  c = fit_pairs(*state, "scaling-binning", NULL, (test_pairs){ 6, p, never, NULL });
  assert_true(near(calibrated(*state, c, .15), 1. / 8, 1e-12));
  assert_true(near(calibrated(*state, c, .99), 1. / 8, 1e-12));
  crd_calibrator_destroy(c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(is_the_mean_of_platt),
    cmocka_unit_test(any_slope_has_bins),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

/* bbq_test.c -- compared with the average over models in plain loops. */
#include "support.h"

#include <math.h>

enum { ROWS = 130, MODELS = 26 }; /* n / 5 is below 10 n^(1/3) */

typedef struct {
  double confidence[ROWS]; /* rising */
  unsigned char correct[ROWS];
} sample;

static sample draw(void) {
  sample s;
  for (size_t i = 0; i < ROWS; i++) {
    s.confidence[i] = (double)(i + 1) / (ROWS + 3) * .9 + .05 * (double)(i > 60);
    s.correct[i] = (double)(i * 47 % 101) / 101 < pow(s.confidence[i], 1.5);
  }
  return s;
}

/* Returns the value of the model with `bins` bins at a confidence, and its evidence. */
static double slow_model(const sample *s, size_t bins, double at, double *share) {
  double evidence = 0, low = 0;
  for (size_t b = 0, from = 0, to; b < bins; b++, from = to) {
    to = from + ROWS / bins + (b < ROWS % bins);
    const double high = to < ROWS ? (s->confidence[to - 1] + s->confidence[to]) / 2 : 1;
    const double n = (double)(to - from), mid = (low + high) / 2, all = 2 / (double)bins;
    double m = 0;
    for (size_t i = from; i < to; i++) m += s->correct[i];
    evidence += lgamma(all) + lgamma(m + all * mid) + lgamma(n - m + all * (1 - mid)) -
                lgamma(n + all) - lgamma(all * mid) - lgamma(all * (1 - mid));
    if (at > low && at <= high) *share = (m + all * mid) / (n + all);
    low = high;
  }
  return evidence;
}

static double slow_average(const sample *s, double at) {
  double top = 0, bottom = 0;
  for (size_t bins = 1; bins <= MODELS; bins++) {
    double share = 0;
    const double weight = exp(slow_model(s, bins, at, &share) + 80);
    top += weight * share;
    bottom += weight;
  }
  return top / bottom;
}

static void is_the_average(void **state) {
  const sample s = draw();
  crd_calibrator *const c =
      fit_pairs(*state, "bbq", NULL, (test_pairs){ ROWS, s.confidence, s.correct, NULL });
  for (size_t i = 0; i < 320; i++) {
    const double at = .0012 + .0031 * (double)i;
    assert_true(near(calibrated(*state, c, at), slow_average(&s, at), 1e-11));
  }
  crd_calibrator_destroy(c);
}

/* Two rows of one score: one bin of two rows, whose prior is that of the middle, 1/2. */
static void one_bin(void **state) {
  static const double p[2] = { .7, .7 };
  static const unsigned char correct[2] = { 1, 1 };
  crd_calibrator *const c = fit_pairs(*state, "bbq", NULL, (test_pairs){ 2, p, correct, NULL });
  assert_true(near(calibrated(*state, c, .2), 3. / 4, 1e-12));
  assert_true(isnan(crd_calibrator_certificate(c)->objective));
  crd_calibrator_destroy(c);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(is_the_average), cmocka_unit_test(one_bin) };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

/* bbq_test.c -- compared with the average over models in plain loops. */
#include "support.h"

#include <math.h>

/* Numbers of bins: from n^(1/3) / 10, rounded down, to the least of n / 5 and 10 n^(1/3), rounded
 * up. */
enum { FEW = 130, FEW_MOST = 26, MANY = 9000, MANY_LEAST = 2, MANY_MOST = 209 };

typedef struct {
  size_t rows, least, most;
  double confidence[MANY]; /* increasing */
  unsigned char correct[MANY];
} sample;

static double event_rate(const sample *s, size_t i) {
  return s->rows == FEW ? pow(s->confidence[i], 1.5) : 0.6; /* many: few bins are the best model */
}

static void draw(size_t rows, sample *s) {
  for (size_t i = 0; i < rows; i++) {
    s->confidence[i] = (double)(i + 1) / (double)(rows + 3) * .9 + .05 * (double)(i > rows / 2);
    s->correct[i] = (double)(i * 47 % 101) / 101 < event_rate(s, i);
  }
}

/* Returns the value of the model with `bins` bins at a confidence, and its evidence. */
static double slow_model(const sample *s, size_t bins, double at, double *share) {
  double evidence = 0, low = 0;
  for (size_t b = 0, from = 0, to; b < bins; b++, from = to) {
    to = from + s->rows / bins + (b < s->rows % bins);
    const double high = to < s->rows ? (s->confidence[to - 1] + s->confidence[to]) / 2 : 1;
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
  double top = 0, bottom = 0, share = 0;
  const double scale = slow_model(s, s->least, at, &share);
  for (size_t bins = s->least; bins <= s->most; bins++) {
    const double weight = exp(slow_model(s, bins, at, &share) - scale);
    top += weight * share;
    bottom += weight;
  }
  return top / bottom;
}

static void compare(crd_context *ctx, const sample *s, size_t places, double tolerance) {
  crd_calibrator *const c =
      fit_pairs(ctx, "bbq", NULL, (test_pairs){ s->rows, s->confidence, s->correct, NULL });
  for (size_t i = 0; i < places; i++) {
    const double at = .0012 + .992 * (double)i / (double)places;
    assert_true(near(calibrated(ctx, c, at), slow_average(s, at), tolerance));
  }
  crd_calibrator_destroy(c);
}

static void is_the_average(void **state) {
  static sample s = { .rows = FEW, .least = 1, .most = FEW_MOST };
  draw(s.rows, &s);
  compare(*state, &s, 320, 1e-11);
}

static void numbers_of_bins(void **state) {
  static sample s = { .rows = MANY, .least = MANY_LEAST, .most = MANY_MOST };
  draw(s.rows, &s);
  compare(*state, &s, 9, 1e-9);
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
  const struct CMUnitTest tests[] = { cmocka_unit_test(is_the_average),
                                      cmocka_unit_test(numbers_of_bins),
                                      cmocka_unit_test(one_bin) };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

/* bin_range_test.c -- Wilson's and Tango's intervals and binomial ranges, by definition. */
#include "evaluate/bin_range.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const double z = 1.959963984540054;

/* Numbers of scipy.stats.binomtest(x, n).proportion_ci(method="wilson"). */
static void intervals_are_wilsons(void **state) {
  (void)state;
  const crd__evaluate_range a = crd__evaluate_share_interval(0.7, 10),
                            b = crd__evaluate_share_interval(1, 5);
  assert_true(fabs(a.low - 0.3967781) < 1e-7 && fabs(a.high - 0.8922087) < 1e-7);
  assert_true(fabs(b.low - 0.5655175) < 1e-7 && b.high == 1);
}

/* The definition of Wilson's interval: each end is z standard deviations from the share. */
static void intervals_hold_what_chance_allows(void **state) {
  static const size_t rows[] = { 1, 2, 7, 100, 100000 };
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    for (int k = 0; k <= 10; k++) {
      const double share = k / 10.0, n = (double)rows[i];
      const crd__evaluate_range r = crd__evaluate_share_interval(share, n);
      assert_true(0 <= r.low && r.low <= share && share <= r.high && r.high <= 1);
      if (k > 0) assert_true(fabs(share - r.low - z * sqrt(r.low * (1 - r.low) / n)) < 1e-12);
      if (k < 10) assert_true(fabs(r.high - share - z * sqrt(r.high * (1 - r.high) / n)) < 1e-12);
    }
}

/* ---- Differences. */

/* The log-likelihood of a table of pairs; q and q + d are the probabilities of rows that count for
 * the second share only, and for the first only. */
static double likelihood(double b, double c, double n, double q, double d) {
  const double rest = n - b - c;
  return (b > 0 ? b * log(q + d) : 0) + (c > 0 ? c * log(q) : 0) +
         (rest > 0 ? rest * log(1 - 2 * q - d) : 0);
}

/* The definition, with the maximum-likelihood q found by search. */
static double naive_score(double b, double c, double n, double d) {
  double low = fmax(0, -d), high = (1 - d) / 2;
  for (int i = 0; i < 300; i++) {
    const double left = low + (high - low) / 3, right = high - (high - low) / 3;
    if (likelihood(b, c, n, left, d) < likelihood(b, c, n, right, d)) low = left;
    else high = right;
  }
  const double q = (low + high) / 2;
  return (b - c - n * d) / sqrt(n * (2 * q + d - d * d));
}

static void differences_hold_what_chance_allows(void **state) {
  static const double tables[][3] = { { 1, 0, 10 },  { 0, 1, 10 },    { 3, 1, 20 },  { 12, 2, 50 },
                                      { 5, 5, 500 }, { 30, 80, 200 }, { 2, 0, 3000 } };
  (void)state;
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
    const double b = tables[i][0], c = tables[i][1], n = tables[i][2];
    const crd__evaluate_range r = crd__evaluate_share_difference_interval(b, c, n);
    const crd__evaluate_range back = crd__evaluate_share_difference_interval(c, b, n);
    assert_true(fabs(naive_score(b, c, n, r.low) - z) < 1e-5);
    assert_true(fabs(naive_score(b, c, n, r.high) + z) < 1e-5);
    assert_true(-1 < r.low && r.low < (b - c) / n && (b - c) / n < r.high && r.high < 1);
    assert_true(fabs(r.low + back.high) < 1e-12 && fabs(r.high + back.low) < 1e-12);
  }
}

/* Shares that never differ, and shares that always do. */
static void differences_at_the_ends(void **state) {
  (void)state;
  const double n = 500, bound = z * z / (n + z * z);
  const crd__evaluate_range none = crd__evaluate_share_difference_interval(0, 0, n);
  const crd__evaluate_range all = crd__evaluate_share_difference_interval(n, 0, n);
  assert_true(fabs(none.low + bound) < 1e-12 && fabs(none.high - bound) < 1e-12);
  assert_true(all.low > .98 && all.low < 1 && all.high == 1);
}

/* log of n! as a plain sum. */
static double log_factorial(size_t n) {
  double sum = 0;
  for (size_t i = 2; i <= n; i++) sum += log((double)i);
  return sum;
}

/* The quantiles by definition, summing all terms from 0 on. */
static crd__evaluate_range naive(double p, size_t n) {
  double below = 0;
  crd__evaluate_range r = { -1, -1 };
  for (size_t k = 0; k <= n; k++) {
    const double right = (double)k, wrong = (double)(n - k);
    below += exp(log_factorial(n) - log_factorial(k) - log_factorial(n - k) +
                 (k ? right * log(p) : 0) + (n - k ? wrong * log1p(-p) : 0));
    if (r.low < 0 && below > 0.025) r.low = right / (double)n;
    if (r.high < 0 && below >= 0.975) r.high = right / (double)n;
  }
  return r;
}

/* Exact sums give the same counts; approximations, for many rows, are within one row. */
static void ranges_are_binomial(void **state) {
  static const size_t rows[] = { 1, 2, 5, 30, 99, 150, 600 };
  static const double shares[] = { 0.001, 0.03, 0.1, 0.37, 0.5, 0.63, 0.9, 0.97, 0.999 };
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    for (size_t k = 0; k < sizeof shares / sizeof *shares; k++) {
      const double n = (double)rows[i], p = shares[k];
      const crd__evaluate_range expected = naive(p, rows[i]),
                                r = crd__evaluate_calibrated_range(p, rows[i]);
      const double slack = n * p * (1 - p) < 25 ? 1e-12 : 1 / n;
      if (fabs(r.low - expected.low) > slack || fabs(r.high - expected.high) > slack)
        fail_msg("%zu rows at %g: %g .. %g, expected %g .. %g", rows[i], p, r.low, r.high,
                 expected.low, expected.high);
    }
}

static void certainty_has_no_range(void **state) {
  (void)state;
  const crd__evaluate_range never = crd__evaluate_calibrated_range(0, 1000000),
                            always = crd__evaluate_calibrated_range(1, 3);
  assert_true(never.low == 0 && never.high == 0);
  assert_true(always.low == 1 && always.high == 1);
  assert_true(crd__evaluate_calibrated_range(1 + 1e-9, 7).low == 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(intervals_are_wilsons),
    cmocka_unit_test(intervals_hold_what_chance_allows),
    cmocka_unit_test(differences_hold_what_chance_allows),
    cmocka_unit_test(differences_at_the_ends),
    cmocka_unit_test(ranges_are_binomial),
    cmocka_unit_test(certainty_has_no_range),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

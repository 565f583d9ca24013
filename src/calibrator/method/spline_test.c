/*
 * spline_test.c -- compared with natural splines in another basis: 1, t, and the truncated powers
 * d_k - d_(K-2) with d_k = ((t - k)+^3 - (t - last)+^3) / (last - k), solved by elimination.
 */
#include "support.h"

#include <math.h>

enum { ROWS = 150, KNOTS = 6 };

typedef struct {
  double confidence[ROWS];
  unsigned char correct[ROWS];
} sample;

/* Increasing confidences without ties. */
static sample draw(void) {
  sample s;
  for (size_t i = 0; i < ROWS; i++) {
    s.confidence[i] = .05 + .9 * pow((double)(i + 1) / (ROWS + 1), .7);
    s.correct[i] = (double)(i * 47 % 101) / 101 < s.confidence[i] * s.confidence[i];
  }
  return s;
}

/* A truncated power and, for `slope`, its derivative. */
static double power(double x, int slope) { return x <= 0 ? 0 : slope ? 3 * x * x : x * x * x; }

static double d(size_t k, double t, int slope) {
  const double at = (double)k / (KNOTS - 1);
  return (power(t - at, slope) - power(t - 1, slope)) / (1 - at);
}

static double base(size_t j, double t, int slope) {
  if (j < 2) return slope ? (double)j : j ? t : 1;
  return d(j - 2, t, slope) - d(KNOTS - 2, t, slope);
}

/* Solves a x = a[..][KNOTS] with pivoting. */
static void eliminate(long double a[KNOTS][KNOTS + 1], double *x) {
  for (size_t j = 0; j < KNOTS; j++) {
    size_t best = j;
    for (size_t i = j; i < KNOTS; i++)
      if (fabsl(a[i][j]) > fabsl(a[best][j])) best = i;
    for (size_t k = 0; k <= KNOTS; k++) {
      const long double swap = a[j][k];
      a[j][k] = a[best][k];
      a[best][k] = swap;
    }
    for (size_t i = 0; i < KNOTS; i++) {
      const long double factor = i == j ? 0 : a[i][j] / a[j][j];
      for (size_t k = j; k <= KNOTS; k++) a[i][k] -= factor * a[j][k];
    }
  }
  for (size_t j = 0; j < KNOTS; j++) x[j] = (double)(a[j][KNOTS] / a[j][j]);
}

static void slow_fit(const sample *s, double *out) {
  long double a[KNOTS][KNOTS + 1] = { { 0 } };
  double theta[KNOTS], h = 0;
  for (size_t i = 0; i < ROWS; i++) {
    const double t = (double)i / (ROWS - 1);
    h += (s->correct[i] - s->confidence[i]) / ROWS;
    for (size_t j = 0; j < KNOTS; j++) {
      for (size_t k = 0; k < KNOTS; k++) a[j][k] += (long double)base(j, t, 0) * base(k, t, 0);
      a[j][KNOTS] += (long double)base(j, t, 0) * h;
    }
  }
  eliminate(a, theta);
  for (size_t i = 0; i < ROWS; i++) {
    out[i] = s->confidence[i];
    for (size_t j = 0; j < KNOTS; j++) out[i] += theta[j] * base(j, (double)i / (ROWS - 1), 1);
    out[i] = fmin(1, fmax(0, out[i]));
  }
}

static void is_the_natural_spline(void **state) {
  const sample s = draw();
  double expected[ROWS];
  slow_fit(&s, expected);
  crd_calibrator *const c =
      fit_pairs(*state, "spline", NULL, (test_pairs){ ROWS, s.confidence, s.correct, NULL });
  for (size_t i = 0; i < ROWS; i++)
    assert_true(near(calibrated(*state, c, s.confidence[i]), expected[i], 1e-9));
  assert_true(near(calibrated(*state, c, (s.confidence[70] + s.confidence[71]) / 2),
                   (expected[70] + expected[71]) / 2, 1e-9));
  assert_true(near(calibrated(*state, c, .001), expected[0], 1e-9));
  crd_calibrator_destroy(c);
}

/* With ties=even the order of rows of equal confidence does not matter; weights of 0 are ignored.
 */
static void order_need_not_matter(void **state) {
  double p[ROWS], weights[ROWS], all[ROWS];
  unsigned char forth[ROWS], back[ROWS];
  for (size_t i = 0; i < ROWS; i++) {
    p[i] = .6;
    weights[i] = i < 100;
    all[i] = i < 100 ? .6 : .3;
    forth[i] = i < 80 || i >= 100;
    back[i] = i >= 20;
  }
  crd_calibrator *const a =
      fit_pairs(*state, "spline", "ties=even", (test_pairs){ 100, p, forth, NULL });
  crd_calibrator *const b =
      fit_pairs(*state, "spline", "ties=even", (test_pairs){ 100, p, back, NULL });
  crd_calibrator *const c =
      fit_pairs(*state, "spline", "ties=even", (test_pairs){ ROWS, all, forth, weights });
  const double expected = .6 + .2 * 99 / 100;
  assert_true(near(calibrated(*state, a, .6), expected, 1e-9));
  assert_true(near(calibrated(*state, b, .6), expected, 1e-9));
  assert_true(near(calibrated(*state, c, .6), expected, 1e-9));
  crd_calibrator_destroy(a);
  crd_calibrator_destroy(b);
  crd_calibrator_destroy(c);
}

/* Ties keep the row order: at their confidence the curve has the value of the last one, just below
 * that of the first. */
static void ties_are_taken_in_order(void **state) {
  sample s = draw();
  double expected[ROWS];
  for (size_t i = 100; i < 120; i++) s.confidence[i] = s.confidence[100];
  slow_fit(&s, expected);
  crd_calibrator *const c =
      fit_pairs(*state, "spline", NULL, (test_pairs){ ROWS, s.confidence, s.correct, NULL });
  const double at = s.confidence[100];
  assert_true(near(calibrated(*state, c, at), expected[119], 1e-9));
  assert_true(near(calibrated(*state, c, at * (1 - 1e-13)), expected[100], 1e-9));
  assert_false(near(expected[100], expected[119], 1e-6));
  crd_calibrator_destroy(c);
}

static void few_rows_have_few_knots(void **state) {
  static const double p[3] = { .3, .5, .9 };
  static const unsigned char correct[3] = { 1, 0, 1 };
  for (size_t rows = 2; rows <= 3; rows++) {
    crd_calibrator *const c =
        fit_pairs(*state, "spline", NULL, (test_pairs){ rows, p, correct, NULL });
    const double q = calibrated(*state, c, .4);
    assert_true(q >= 0 && q <= 1);
    if (rows == 2) assert_true(near(q, (.3 - .25 + .5 - .25) / 2, 1e-9)); /* h falls by .25 */
    crd_calibrator_destroy(c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(is_the_natural_spline),
    cmocka_unit_test(order_need_not_matter),
    cmocka_unit_test(ties_are_taken_in_order),
    cmocka_unit_test(few_rows_have_few_knots),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

/* bent_test.c -- the map compared with the integral of its slopes, derivatives with finite
 * differences of the loss.
 */
#include "support.h"

#include "calibrator/bent.h"

#include <math.h>
#include <string.h>

enum { PIECES = 5, CLASSES = 7, ROWS = 40 };

static const double knots[PIECES - 1] = { .5, -.25, -1, -2.5 };
static const double slopes[PIECES] = { .3, 2, .001, 1.4, .7 };

/* The map at x, relative to 0: the integral of the slopes. */
static double line_at(const double *slope, double x) {
  const double sign = x < 0 ? -1 : 1, from = fmin(0, x), to = fmax(0, x);
  double sum = 0;
  for (size_t j = 0; j < PIECES; j++) {
    const double low = j + 1 < PIECES ? knots[j] : -1e9, high = j ? knots[j - 1] : 1e9;
    sum += sign * slope[j] * fmax(0, fmin(to, high) - fmax(from, low));
  }
  return sum;
}

static double loss_at(const double *slope, const double *x, size_t label) {
  double mass = 0;
  for (size_t k = 0; k < CLASSES; k++) mass += exp(line_at(slope, x[k]));
  return log(mass) - line_at(slope, x[label]);
}

static void rows_follow_the_line(void **state) {
  test_data data = make_data((test_recipe){ ROWS, CLASSES, 3, 2, .5, 0, false, false });
  const crd__calibrator_piecewise line = { PIECES, knots, slopes };
  (void)state;
  for (size_t i = 0; i < ROWS; i++) {
    double *const x = data.scores + i * CLASSES, out[CLASSES], top = x[0];
    if (i % 4 == 0) x[3] = knots[i / 4 % 4]; /* on a knot */
    if (i % 5 == 0) x[1] = x[2];
    for (size_t k = 1; k < CLASSES; k++) top = fmax(top, x[k]);
    crd__calibrator_piecewise_map(&line, x, CLASSES, out);
    for (size_t k = 0; k < CLASSES; k++)
      assert_true(near(out[k], line_at(slopes, x[k]) - line_at(slopes, top), 1e-13));
    crd__calibrator_piecewise_map(&line, x, CLASSES, x); /* in place */
    assert_memory_equal(x, out, sizeof out);
  }
  free_data(&data);
}

/* Central differences of the value, and of the gradient. */
static void derivatives_are_differences(void **state) {
  enum { TERMS = 1 + PIECES + PIECES * (PIECES + 1) / 2 };
  test_data data = make_data((test_recipe){ ROWS, CLASSES, 4, 2, .5, 0, false, false });
  const crd__calibrator_piecewise line = { PIECES, knots, slopes };
  const double h = 1e-5;
  (void)state;
  assert_int_equal(crd__calibrator_piecewise_terms(PIECES), TERMS);
  for (size_t i = 0; i < ROWS; i++) {
    const double *const x = data.scores + i * CLASSES;
    const size_t label = (i * 3) % CLASSES;
    double sums[TERMS] = { 0 };
    crd__calibrator_piecewise_add(&line, x, CLASSES, label, 2, sums);
    assert_true(near(sums[0], 2 * loss_at(slopes, x, label), 1e-12));
    const double *second = sums + 1 + PIECES;
    for (size_t j = 0; j < PIECES; j++) {
      double up[PIECES], down[PIECES], high[TERMS] = { 0 }, low[TERMS] = { 0 };
      memcpy(up, slopes, sizeof up);
      memcpy(down, slopes, sizeof down);
      up[j] += h;
      down[j] -= h;
      assert_true(near(sums[1 + j], (loss_at(up, x, label) - loss_at(down, x, label)) / h, 1e-8));
      crd__calibrator_piecewise_add(&(crd__calibrator_piecewise){ PIECES, knots, up }, x, CLASSES,
                                    label, 2, high);
      crd__calibrator_piecewise_add(&(crd__calibrator_piecewise){ PIECES, knots, down }, x, CLASSES,
                                    label, 2, low);
      for (size_t m = 0; m <= j; m++)
        assert_true(near(*second++, (high[1 + m] - low[1 + m]) / (2 * h), 1e-8));
    }
  }
  free_data(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(rows_follow_the_line),
    cmocka_unit_test(derivatives_are_differences),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

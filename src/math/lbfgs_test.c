/* lbfgs_test.c -- the secant equation, exact inverses of small Hessians, skipped pairs. */
#include "support.h"

#include "base/random.h"
#include "math/lbfgs.h"

#include <math.h>

enum { SIZE = 6 };

/* A positive definite matrix with eigenvalues of several orders of magnitude. */
static void multiply(const double *x, double *out) {
  double sum = 0;
  for (size_t i = 0; i < SIZE; i++) sum += x[i];
  for (size_t i = 0; i < SIZE; i++) out[i] = pow(3, (double)i) * x[i] + 0.5 * sum;
}

static double random_at(uint64_t i) { return crd__random_uniform(7, 0, i) - 0.5; }

/* H y = s for the newest pair, whatever came before. */
static void the_newest_pair_is_satisfied(void **state) {
  crd__math_lbfgs l;
  double s[SIZE], y[SIZE], out[SIZE];
  assert_int_equal(crd__math_lbfgs_make(*state, SIZE, &l), CRD_OK);
  for (uint64_t t = 0; t < 3 * CRD__MATH_LBFGS_PAIRS; t++) {
    for (uint64_t i = 0; i < SIZE; i++) s[i] = random_at(t * SIZE + i);
    multiply(s, y);
    assert_true(crd__math_lbfgs_add(&l, s, y));
    crd__math_lbfgs_direction(&l, y, 1, out);
    for (size_t i = 0; i < SIZE; i++) assert_true(near(out[i], -s[i], 1e-9));
  }
  crd__math_lbfgs_clear(&((crd_context *)*state)->alloc, &l);
}

/* H = (I - r s y') H (I - r y s') + r s s', r = 1 / s.y */
static void update_matrix(double h[SIZE][SIZE], const double *s, const double *y) {
  double hy[SIZE], sy = 0, yhy = 0;
  for (size_t i = 0; i < SIZE; i++) {
    hy[i] = 0;
    for (size_t j = 0; j < SIZE; j++) hy[i] += h[i][j] * y[j];
    sy += s[i] * y[i];
  }
  for (size_t i = 0; i < SIZE; i++) yhy += y[i] * hy[i];
  for (size_t i = 0; i < SIZE; i++)
    for (size_t j = 0; j < SIZE; j++)
      h[i][j] += (1 + yhy / sy) * s[i] * s[j] / sy - (hy[i] * s[j] + s[i] * hy[j]) / sy;
}

/* The recursion is BFGS from s.y / y.y of the newest pair on, with the pairs in their order: also
 * when older ones were replaced. */
static void directions_are_those_of_matrices(void **state) {
  enum { STEPS = 2 * CRD__MATH_LBFGS_PAIRS + 3 };
  crd__math_lbfgs l;
  double s[STEPS][SIZE], y[STEPS][SIZE], g[SIZE], out[SIZE];
  assert_int_equal(crd__math_lbfgs_make(*state, SIZE, &l), CRD_OK);
  for (size_t t = 0; t < STEPS; t++) {
    double h[SIZE][SIZE] = { 0 }, sy = 0, yy = 0;
    for (size_t i = 0; i < SIZE; i++) s[t][i] = random_at(2000 + t * SIZE + i);
    multiply(s[t], y[t]);
    for (size_t i = 0; i < SIZE; i++) y[t][i] *= 1 + 0.3 * random_at(5000 + t);
    for (size_t i = 0; i < SIZE; i++) g[i] = random_at(3000 + t * SIZE + i);
    assert_true(crd__math_lbfgs_add(&l, s[t], y[t]));
    crd__math_lbfgs_direction(&l, g, 1, out);
    for (size_t i = 0; i < SIZE; i++) sy += s[t][i] * y[t][i], yy += y[t][i] * y[t][i];
    for (size_t i = 0; i < SIZE; i++) h[i][i] = sy / yy;
    for (size_t k = t < CRD__MATH_LBFGS_PAIRS ? 0 : t + 1 - CRD__MATH_LBFGS_PAIRS; k <= t; k++)
      update_matrix(h, s[k], y[k]);
    for (size_t i = 0; i < SIZE; i++) {
      double expected = 0;
      for (size_t j = 0; j < SIZE; j++) expected -= h[i][j] * g[j];
      assert_true(near(out[i], expected, 1e-9));
    }
  }
  crd__math_lbfgs_clear(&((crd_context *)*state)->alloc, &l);
}

/* Exact line searches on a quadratic function of n variables end after n steps. */
static void quadratics_end_after_their_size(void **state) {
  crd__math_lbfgs l;
  double x[SIZE], g[SIZE], d[SIZE], hd[SIZE], change[SIZE], step[SIZE];
  assert_int_equal(crd__math_lbfgs_make(*state, SIZE, &l), CRD_OK);
  for (uint64_t i = 0; i < SIZE; i++) x[i] = 10 * random_at(1000 + i);
  multiply(x, g);
  for (size_t t = 0; t < SIZE; t++) {
    double slope = 0, curvature = 0;
    crd__math_lbfgs_direction(&l, g, 0.1, d);
    multiply(d, hd);
    for (size_t i = 0; i < SIZE; i++) slope += g[i] * d[i], curvature += d[i] * hd[i];
    assert_true(slope < 0);
    for (size_t i = 0; i < SIZE; i++) {
      step[i] = -slope / curvature * d[i];
      change[i] = -slope / curvature * hd[i];
      x[i] += step[i];
      g[i] += change[i];
    }
    assert_true(crd__math_lbfgs_add(&l, step, change));
  }
  for (size_t i = 0; i < SIZE; i++) assert_true(fabs(x[i]) < 1e-8);
  crd__math_lbfgs_clear(&((crd_context *)*state)->alloc, &l);
}

static void pairs_without_curvature_are_skipped(void **state) {
  crd__math_lbfgs l;
  const double s[2] = { 1, 0 }, against[2] = { -1, 0 }, across[2] = { 0, 1 }, none[2] = { 0, 0 };
  const double g[2] = { 3, -4 };
  double out[2];
  assert_int_equal(crd__math_lbfgs_make(*state, 2, &l), CRD_OK);
  assert_false(crd__math_lbfgs_add(&l, s, against));
  assert_false(crd__math_lbfgs_add(&l, s, across));
  assert_false(crd__math_lbfgs_add(&l, s, none));
  assert_false(crd__math_lbfgs_add(&l, none, s));
  crd__math_lbfgs_direction(&l, g, 0.5, out);
  assert_true(out[0] == -1.5 && out[1] == 2);
  assert_true(crd__math_lbfgs_add(&l, s, s));
  crd__math_lbfgs_forget(&l);
  crd__math_lbfgs_direction(&l, g, 0.5, out);
  assert_true(out[0] == -1.5 && out[1] == 2);
  crd__math_lbfgs_clear(&((crd_context *)*state)->alloc, &l);
}

static void memory_can_be_short(void **state) {
  crd__math_lbfgs l;
  assert_int_equal(crd__math_lbfgs_make(*state, SIZE_MAX / 4, &l), CRD_ENOMEM);
  crd__math_lbfgs_clear(&((crd_context *)*state)->alloc, &l);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(the_newest_pair_is_satisfied),
                                      cmocka_unit_test(directions_are_those_of_matrices),
                                      cmocka_unit_test(quadratics_end_after_their_size),
                                      cmocka_unit_test(pairs_without_curvature_are_skipped),
                                      cmocka_unit_test(memory_can_be_short) };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

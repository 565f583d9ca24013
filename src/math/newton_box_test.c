/* newton_box_test.c -- quadratics against slow coordinate descent, a logistic problem against its
 * optimality conditions, and functions without curvature or without minimum. */
#include "support.h"

#include "base/random.h"
#include "math/newton_box.h"

#include <math.h>
#include <string.h>

enum { N = 8, ROWS = 40 };
static const double low = -1, high = 2;

/* ---- x' A x / 2 - b' x, A = D + u u'. */

typedef struct {
  double a[N][N], b[N];
} quadratic;

static crd_status q_look(crd_context *ctx, void *self, const double *x, double *value,
                         double *gradient, double *hessian) {
  const quadratic *const q = self;
  (void)ctx;
  *value = 1;
  memcpy(hessian, q->a, sizeof q->a);
  for (size_t i = 0; i < N; i++) {
    gradient[i] = -q->b[i];
    for (size_t k = 0; k < N; k++) gradient[i] += q->a[i][k] * x[k];
    *value += x[i] * (gradient[i] - q->b[i]) / 2;
  }
  return CRD_OK;
}

static quadratic make_quadratic(uint64_t seed) {
  quadratic q;
  double u[N];
  for (size_t i = 0; i < N; i++) u[i] = crd__random_uniform(seed, 1, i) - .3;
  for (size_t i = 0; i < N; i++) {
    q.b[i] = 8 * crd__random_uniform(seed, 2, i) - 4;
    for (size_t k = 0; k < N; k++) q.a[i][k] = u[i] * u[k] + (i == k ? .1 * (double)(i + 1) : 0);
  }
  return q;
}

/* Coordinate descent: one variable after the other, each to its optimum within the bounds. */
static void descend_slowly(const quadratic *q, double *x) {
  for (size_t t = 0; t < 20000; t++)
    for (size_t i = 0; i < N; i++) {
      double rest = q->b[i];
      for (size_t k = 0; k < N; k++) rest -= k == i ? 0 : q->a[i][k] * x[k];
      x[i] = fmin(high, fmax(low, rest / q->a[i][i]));
    }
}

static void quadratics_are_solved(void **state) {
  size_t at_bound = 0, inside = 0;
  for (uint64_t seed = 0; seed < 20; seed++) {
    quadratic q = make_quadratic(seed);
    double x[N] = { 0 }, slow[N] = { 0 };
    crd__math_newton_result r;
    const crd__math_box_problem problem = { N, low, high, &q, q_look };
    descend_slowly(&q, slow);
    assert_int_equal(crd__math_newton_box(*state, &problem,
                                          &(crd__math_newton_limits){ 1e-12, 0, 50, 0 }, x, &r),
                     CRD_OK);
    assert_int_equal(r.end, CRD__MATH_NEWTON_CONVERGED);
    assert_true(r.gradient < 1e-11 && r.steps <= 2 * N);
    for (size_t i = 0; i < N; i++) {
      assert_true(near(x[i], slow[i], 1e-10));
      at_bound += x[i] == low || x[i] == high;
      inside += x[i] > low && x[i] < high;
    }
  }
  assert_true(at_bound > 30 && inside > 30);
}

/* ---- mean log(1 + exp(-y x.w)): without minimum if `separable`. */

typedef struct {
  double x[ROWS][N], y[ROWS];
} logistic;

static crd_status l_look(crd_context *ctx, void *self, const double *w, double *value,
                         double *gradient, double *hessian) {
  const logistic *const l = self;
  (void)ctx;
  *value = 0;
  memset(gradient, 0, N * sizeof *gradient);
  memset(hessian, 0, N * N * sizeof *hessian);
  for (size_t i = 0; i < ROWS; i++) {
    double u = 0;
    for (size_t k = 0; k < N; k++) u += l->y[i] * l->x[i][k] * w[k];
    const double p = 1 / (1 + exp(u));
    *value += (u > 0 ? log1p(exp(-u)) : log1p(exp(u)) - u) / ROWS;
    for (size_t k = 0; k < N; k++) {
      gradient[k] -= p * l->y[i] * l->x[i][k] / ROWS;
      for (size_t m = 0; m < N; m++)
        hessian[k * N + m] += p * (1 - p) * l->x[i][k] * l->x[i][m] / ROWS;
    }
  }
  return CRD_OK;
}

static void logistic_ends_at_its_bounds(void **state) {
  for (int separable = 0; separable < 2; separable++) {
    logistic l;
    double w[N] = { 0 }, value, gradient[N], hessian[N * N];
    crd__math_newton_result r;
    for (size_t i = 0; i < ROWS; i++) {
      for (size_t k = 0; k < N; k++) l.x[i][k] = k == 5 ? 0 : crd__random_uniform(3, i, k) - .5;
      const double sum = l.x[i][0] + 2 * l.x[i][1] - l.x[i][2];
      l.y[i] = sum + (separable ? 0 : crd__random_uniform(4, i, 0) - .5) > 0 ? 1 : -1;
    }
    const crd__math_box_problem problem = { N, low, high, &l, l_look };
    assert_int_equal(crd__math_newton_box(*state, &problem,
                                          &(crd__math_newton_limits){ 1e-12, 0, 100, 0 }, w, &r),
                     CRD_OK);
    assert_int_equal(r.end, CRD__MATH_NEWTON_CONVERGED);
    assert_int_equal(l_look(*state, &l, w, &value, gradient, hessian), CRD_OK);
    assert_true(same_bits(value, r.value));
    for (size_t k = 0; k < N; k++) {
      if (w[k] <= low) assert_true(w[k] == low && gradient[k] > -1e-12);
      else if (w[k] >= high) assert_true(w[k] == high && gradient[k] < 1e-12);
      else assert_true(fabs(gradient[k]) <= 1e-11);
    }
    assert_true(w[1] == high);
    assert_true(w[5] == 0); /* f does not depend on it */
  }
}

/* Starting at the solution, a corner, no step is taken; the limit of steps holds. */
static void steps_are_counted(void **state) {
  quadratic q = make_quadratic(1);
  double x[N];
  crd__math_newton_result r;
  const crd__math_box_problem problem = { N, low, high, &q, q_look };
  for (size_t i = 0; i < N; i++) {
    q.b[i] = 100;
    x[i] = high;
  }
  const crd__math_newton_limits one = { 1e-12, 0, 1, 0 }, none = { 1e-12, 0, 0, 0 };
  assert_int_equal(crd__math_newton_box(*state, &problem, &one, x, &r), CRD_OK);
  assert_true(r.end == CRD__MATH_NEWTON_CONVERGED && r.steps == 0 && r.gradient == 0);
  for (size_t i = 0; i < N; i++) x[i] = 0;
  assert_int_equal(crd__math_newton_box(*state, &problem, &none, x, &r), CRD_OK);
  assert_true(r.end == CRD__MATH_NEWTON_STEP_LIMIT && r.steps == 0 && x[0] == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(quadratics_are_solved),
    cmocka_unit_test(logistic_ends_at_its_bounds),
    cmocka_unit_test(steps_are_counted),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

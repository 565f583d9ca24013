/* newton_cg_test.c -- a quadratic with a known solution, a logistic problem, and functions without
 * a minimum. */
#include "support.h"

#include "base/random.h"
#include "math/newton_cg.h"

#include <math.h>

enum { N = 12, ROWS = 60 };

/* ---- (x - c)' A (x - c) / 2, A = D + u u'. */

typedef struct {
  double diagonal[N], u[N], centre[N];
} quadratic;

static crd_status q_multiply(crd_context *ctx, void *self, const double *v, double *out) {
  const quadratic *const q = self;
  double along = 0;
  (void)ctx;
  for (size_t i = 0; i < N; i++) along += q->u[i] * v[i];
  for (size_t i = 0; i < N; i++) out[i] = q->diagonal[i] * v[i] + q->u[i] * along;
  return CRD_OK;
}

static crd_status q_look(crd_context *ctx, void *self, const double *x, double *value,
                         double *gradient) {
  const quadratic *const q = self;
  double d[N];
  for (size_t i = 0; i < N; i++) d[i] = x[i] - q->centre[i];
  q_multiply(ctx, self, d, gradient);
  *value = 1;
  for (size_t i = 0; i < N; i++) *value += d[i] * gradient[i] / 2;
  return CRD_OK;
}

static crd_status prepare(crd_context *ctx, void *self) {
  (void)ctx, (void)self;
  return CRD_OK;
}

static crd_status q_ease(crd_context *ctx, void *self, const double *residual, double *out) {
  const quadratic *const q = self;
  (void)ctx;
  for (size_t i = 0; i < N; i++) out[i] = residual[i] / (q->diagonal[i] + q->u[i] * q->u[i]);
  return CRD_OK;
}

/* A single large derivative is noticed, also the first and the last. */
static void one_derivative_is_enough(void **state) {
  for (size_t only = 0; only < N; only++) {
    quadratic q = { .u = { 0 } };
    double x[N];
    crd__math_newton_result r;
    for (size_t i = 0; i < N; i++) {
      q.diagonal[i] = 2;
      q.centre[i] = (double)i;
      x[i] = (double)i + (i == only ? 3 : 0);
    }
    const crd__math_convex_problem problem = { N, &q, q_look, q_multiply, prepare, q_ease };
    assert_int_equal(crd__math_newton_cg(*state, &problem,
                                         &(crd__math_newton_limits){ 1e-10, -INFINITY, 50, 100 }, x,
                                         &r),
                     CRD_OK);
    for (size_t i = 0; i < N; i++) assert_true(fabs(x[i] - q.centre[i]) < 1e-9);
  }
}

static void quadratic_is_solved(void **state) {
  quadratic q;
  double x[N] = { 0 };
  crd__math_newton_result r;
  for (size_t i = 0; i < N; i++) {
    q.diagonal[i] = pow(10, (double)i / 3 - 2);
    q.u[i] = crd__random_uniform(1, 7, i);
    q.centre[i] = (double)i - 4;
  }
  const crd__math_convex_problem problem = { N, &q, q_look, q_multiply, prepare, q_ease };
  assert_int_equal(
      crd__math_newton_cg(*state, &problem, &(crd__math_newton_limits){ 1e-12, 0, 50, 100 }, x, &r),
      CRD_OK);
  assert_int_equal(r.end, CRD__MATH_NEWTON_CONVERGED);
  for (size_t i = 0; i < N; i++) assert_true(near(x[i], q.centre[i], 1e-9));
  assert_true(near(r.value, 1, 1e-15) && r.gradient < 1e-11 && r.products > 0);
}

/* ---- Logistic regression: mean log(1 + exp(-y x.w)) + ridge |w|^2. */

typedef struct {
  double x[ROWS][N], y[ROWS], ridge, margin[ROWS], diagonal[N];
} logistic;

static crd_status l_look(crd_context *ctx, void *self, const double *w, double *value,
                         double *gradient) {
  logistic *const l = self;
  (void)ctx;
  *value = 0;
  for (size_t k = 0; k < N; k++) {
    gradient[k] = 2 * l->ridge * w[k];
    *value += l->ridge * w[k] * w[k];
  }
  for (size_t i = 0; i < ROWS; i++) {
    double u = 0;
    for (size_t k = 0; k < N; k++) u += l->x[i][k] * w[k];
    l->margin[i] = u *= l->y[i];
    *value += (u > 0 ? log1p(exp(-u)) : log1p(exp(u)) - u) / ROWS;
    for (size_t k = 0; k < N; k++) gradient[k] -= l->y[i] * l->x[i][k] / (1 + exp(u)) / ROWS;
  }
  return CRD_OK;
}

static double curve(const logistic *l, size_t i) {
  return 1 / (1 + exp(l->margin[i])) / (1 + exp(-l->margin[i])) / ROWS;
}

static crd_status l_multiply(crd_context *ctx, void *self, const double *v, double *out) {
  const logistic *const l = self;
  (void)ctx;
  for (size_t k = 0; k < N; k++) out[k] = 2 * l->ridge * v[k];
  for (size_t i = 0; i < ROWS; i++) {
    double u = 0;
    for (size_t k = 0; k < N; k++) u += l->x[i][k] * v[k];
    for (size_t k = 0; k < N; k++) out[k] += curve(l, i) * u * l->x[i][k];
  }
  return CRD_OK;
}

static crd_status l_prepare(crd_context *ctx, void *self) {
  logistic *const l = self;
  (void)ctx;
  for (size_t k = 0; k < N; k++) l->diagonal[k] = 2 * l->ridge;
  for (size_t i = 0; i < ROWS; i++)
    for (size_t k = 0; k < N; k++) l->diagonal[k] += curve(l, i) * l->x[i][k] * l->x[i][k];
  return CRD_OK;
}

static crd_status l_ease(crd_context *ctx, void *self, const double *residual, double *out) {
  const logistic *const l = self;
  (void)ctx;
  for (size_t k = 0; k < N; k++) out[k] = residual[k] / l->diagonal[k];
  return CRD_OK;
}

static void fill(logistic *l, double ridge, bool separable) {
  l->ridge = ridge;
  for (size_t i = 0; i < ROWS; i++) {
    for (size_t k = 0; k < N; k++) /* columns of very different sizes */
      l->x[i][k] = pow(10, (double)(k % 4) - 1) * (crd__random_uniform(2, k, i) - .5);
    l->y[i] = (separable ? l->x[i][3] : crd__random_uniform(2, 99, i) - .5) > 0 ? 1 : -1;
  }
}

static void logistic_is_solved(void **state) {
  logistic l;
  double w[N] = { 0 }, gradient[N], value, up, down;
  crd__math_newton_result r;
  fill(&l, 1e-3, false);
  const crd__math_convex_problem problem = { N, &l, l_look, l_multiply, l_prepare, l_ease };
  const crd__math_newton_limits limits = { 1e-13, 0, 50, 100 };
  assert_int_equal(crd__math_newton_cg(*state, &problem, &limits, w, &r), CRD_OK);
  assert_int_equal(r.end, CRD__MATH_NEWTON_CONVERGED);
  assert_true(r.gradient < 1e-12 && r.steps < 15);
  l_look(*state, &l, w, &value, gradient);
  assert_true(same_bits(value, r.value));
  for (size_t k = 0; k < N; k++) { /* by differences of values alone */
    const double at = w[k], step = 1e-4 / pow(10, (double)(k % 4) - 1);
    w[k] = at + step;
    l_look(*state, &l, w, &up, gradient);
    w[k] = at - step;
    l_look(*state, &l, w, &down, gradient);
    w[k] = at;
    assert_true(up > value && down > value && fabs(up - down) / 2 < 1e-11);
  }
}

static void unbounded_objectives_end(void **state) {
  logistic l;
  double w[N] = { 0 };
  crd__math_newton_result r;
  fill(&l, 0, true);
  const crd__math_convex_problem problem = { N, &l, l_look, l_multiply, l_prepare, l_ease };
  assert_int_equal(crd__math_newton_cg(*state, &problem,
                                       &(crd__math_newton_limits){ 0, log(2) / ROWS, 100, 50 }, w,
                                       &r),
                   CRD_OK);
  assert_int_equal(r.end, CRD__NEWTON_FLOOR);
  assert_true(r.value < log(2) / ROWS);
  for (size_t k = 0; k < N; k++) w[k] = 0;
  assert_int_equal(
      crd__math_newton_cg(*state, &problem, &(crd__math_newton_limits){ 0, 0, 7, 50 }, w, &r),
      CRD_OK);
  assert_int_equal(r.end, CRD__MATH_NEWTON_STEP_LIMIT);
  assert_int_equal(r.steps, 7);
}

static crd_status fail_look(crd_context *ctx, void *self, const double *x, double *value,
                            double *gradient) {
  (void)self, (void)x, (void)gradient;
  *value = 0;
  return crd__fail(ctx, CRD_EINTERRUPTED, "no");
}

static void failures_are_passed_on(void **state) {
  double x[N] = { 0 };
  crd__math_newton_result r;
  const crd__math_convex_problem problem = { N, NULL, fail_look, q_multiply, prepare, q_ease };
  assert_int_equal(
      crd__math_newton_cg(*state, &problem, &(crd__math_newton_limits){ 0, 0, 7, 50 }, x, &r),
      CRD_EINTERRUPTED);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(one_derivative_is_enough), cmocka_unit_test(quadratic_is_solved),
    cmocka_unit_test(logistic_is_solved),       cmocka_unit_test(unbounded_objectives_end),
    cmocka_unit_test(failures_are_passed_on),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

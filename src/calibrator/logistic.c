/*
 * logistic.c -- Newton's method with backtracking (Armijo) for at most three unknowns.
 *
 * Lin, Lin, Weng: A note on Platt's probabilistic outputs for support vector machines (2007).
 */
#include "calibrator/logistic.h"
#include "base/reduce.h"
#include "math/logspace.h"

#include <math.h>
#include <string.h>

enum { N = CRD__FEATURES_MAX, STEPS_MAX = 200, HALVINGS_MAX = 60 };

/* Value, gradient and Hessian at a point. */
typedef struct {
  double value, gradient[N], hessian[N][N];
} local;

typedef struct {
  const crd__calibrator_logistic *problem;
  const double *theta;
} place;

static void add_rows(void *arg, size_t from, size_t to, double *sums) {
  const place *const at = arg;
  const size_t n = at->problem->features;
  for (size_t i = from; i < to; i++) {
    const double *const x = at->problem->x + i * n;
    const double t = at->problem->targets[i], w = at->problem->weights[i];
    double u = 0;
    for (size_t j = 0; j < n; j++) u += x[j] * at->theta[j];
    const double p = crd__math_sigmoid(u), curve = w * p * crd__math_sigmoid(-u);
    sums[0] += w * (t * crd__math_softplus(-u) + (1 - t) * crd__math_softplus(u));
    for (size_t j = 0; j < n; j++) {
      sums[1 + j] += w * (p - t) * x[j];
      for (size_t k = 0; k <= j; k++) sums[1 + N + j * N + k] += curve * x[j] * x[k];
    }
  }
}

static crd_status look(crd_context *ctx, const crd__calibrator_logistic *problem,
                       const double *theta, local *out) {
  double sums[1 + N + N * N] = { 0 };
  place at = { problem, theta };
  CRD_TRY(crd__reduce(ctx, (crd__load){ problem->rows, 64 }, 1 + N + N * N, add_rows, &at, sums));
  const double rows = (double)problem->rows;
  out->value = sums[0] / rows;
  for (size_t j = 0; j < N; j++) out->gradient[j] = sums[1 + j] / rows;
  for (size_t j = 0; j < N; j++)
    for (size_t k = 0; k < N; k++)
      out->hessian[j][k] = sums[1 + N + (j > k ? j * N + k : k * N + j)] / rows;
  return CRD_OK;
}

/* Solves hessian * step = -gradient by Cholesky; directions without curvature get 0. */
static void newton_step(const local *at, size_t n, double *step) {
  double l[N][N] = { { 0 } };
  for (size_t j = 0; j < n; j++) {
    double pivot = at->hessian[j][j];
    for (size_t k = 0; k < j; k++) pivot -= l[j][k] * l[j][k];
    const bool flat = !(pivot > 1e-14 * at->hessian[j][j]);
    l[j][j] = flat ? INFINITY : sqrt(pivot);
    for (size_t i = j + 1; i < n; i++) {
      double sum = at->hessian[i][j];
      for (size_t k = 0; k < j; k++) sum -= l[i][k] * l[j][k];
      l[i][j] = flat ? 0 : sum / l[j][j];
    }
  }
  for (size_t j = 0; j < n; j++) {
    step[j] = -at->gradient[j];
    for (size_t k = 0; k < j; k++) step[j] -= l[j][k] * step[k];
    step[j] /= l[j][j];
  }
  for (size_t j = n; j-- > 0;) {
    for (size_t i = j + 1; i < n; i++) step[j] -= l[i][j] * step[i];
    step[j] /= l[j][j];
  }
}

static double largest(const double *v, size_t n) {
  double most = 0;
  for (size_t j = 0; j < n; j++) most = fmax(most, fabs(v[j]));
  return most;
}

/* Evaluates theta + scale * step. */
static crd_status try_step(crd_context *ctx, const crd__calibrator_logistic *problem,
                           const double *theta, const double *step, double scale, double *next,
                           local *there) {
  for (size_t j = 0; j < problem->features; j++) next[j] = theta[j] + scale * step[j];
  return look(ctx, problem, next, there);
}

/* Moves theta along the step, halved until the Armijo condition holds. */
static crd_status move(crd_context *ctx, const crd__calibrator_logistic *problem,
                       const double *step, double slope, double *theta, local *at) {
  double scale = 1;
  for (size_t h = 0; h < HALVINGS_MAX; h++, scale /= 2) {
    double next[N];
    local there;
    CRD_TRY(try_step(ctx, problem, theta, step, scale, next, &there));
    if (!(there.value <= at->value + 1e-4 * scale * slope)) continue;
    memcpy(theta, next, problem->features * sizeof *theta);
    *at = there;
    break;
  }
  return CRD_OK;
}

/* Near the minimum rounding hides a decrease of the value: takes one more full step if that makes
 * the gradient smaller. */
static crd_status finish(crd_context *ctx, const crd__calibrator_logistic *problem,
                         const double *step, double *theta, local *at) {
  double next[N];
  local there;
  CRD_TRY(try_step(ctx, problem, theta, step, 1, next, &there));
  if (!(largest(there.gradient, problem->features) < largest(at->gradient, problem->features)))
    return CRD_OK;
  memcpy(theta, next, problem->features * sizeof *theta);
  *at = there;
  return CRD_OK;
}

crd_status crd__calibrator_logistic_fit(crd_context *ctx, const crd__calibrator_logistic *problem,
                                        double *theta, crd_certificate *certificate) {
  const size_t n = problem->features;
  local at;
  bool arrived = false;
  unsigned steps = 0;
  CRD_TRY(look(ctx, problem, theta, &at));
  for (; !arrived && steps < STEPS_MAX; steps++) {
    double step[N] = { 0 }, slope = 0;
    newton_step(&at, n, step);
    for (size_t j = 0; j < n; j++) slope += at.gradient[j] * step[j];
    arrived = !(-slope > 1e-13 * fmax(at.value, 1e-3));
    CRD_TRY(arrived ? finish(ctx, problem, step, theta, &at)
                    : move(ctx, problem, step, slope, theta, &at));
  }
  certificate->objective = at.value;
  certificate->gradient_norm = largest(at.gradient, n);
  certificate->iterations = steps;
  certificate->converged = certificate->gradient_norm < 1e-9;
  return CRD_OK;
}

/*
 * newton_box.c -- projected Newton.
 *
 * Bertsekas: Projected Newton methods for optimization problems with simple constraints (1982).
 */
#include "math/newton_box.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { HALVINGS_MAX = 60 };

/* Value, gradient and Hessian at x. */
typedef struct {
  double value, *x, *gradient, *hessian;
} point;

typedef struct {
  const crd__math_box_problem *problem;
  point here, next;
  double *step, *factor;
  bool *held;
} solver;

static crd_status look(crd_context *ctx, const solver *j, point *at) {
  return j->problem->look(ctx, j->problem->self, at->x, &at->value, at->gradient, at->hessian);
}

/* Returns the derivative, or 0 if it only pushes the variable against its bound. */
static double pull(const crd__math_box_problem *p, const point *at, size_t i) {
  const double g = at->gradient[i];
  const bool stopped = (at->x[i] <= p->low && g > 0) || (at->x[i] >= p->high && g < 0);
  return stopped ? 0 : fabs(g);
}

static double largest_pull(const crd__math_box_problem *p, const point *at) {
  double most = 0;
  for (size_t i = 0; i < p->size; i++) most = fmax(most, pull(p, at, i));
  return most;
}

/* Holds variables close to a bound whose derivative points out of the box: otherwise steps would
 * get ever shorter near the bound. */
static void hold(solver *j, double gradient) {
  const crd__math_box_problem *const p = j->problem;
  const double near = fmin(1e-6 * (p->high - p->low), gradient);
  for (size_t i = 0; i < p->size; i++) {
    const double x = j->here.x[i], g = j->here.gradient[i];
    j->held[i] = (x <= p->low + near && g > 0) || (x >= p->high - near && g < 0);
  }
}

/* Decomposes (Cholesky) the Hessian of the variables that are not held; held ones have a diagonal
 * of
 * 1. A direction without curvature is skipped. */
static void decompose(const solver *j) {
  const size_t n = j->problem->size;
  const double *const h = j->here.hessian;
  double *const l = j->factor;
  for (size_t c = 0; c < n; c++) {
    double pivot = h[c * n + c];
    for (size_t k = 0; k < c; k++) pivot -= l[c * n + k] * l[c * n + k];
    const bool flat = !(pivot > 1e-14 * h[c * n + c]);
    l[c * n + c] = j->held[c] ? 1 : flat ? INFINITY : sqrt(pivot);
    for (size_t r = c + 1; r < n; r++) {
      double sum = h[r * n + c];
      for (size_t k = 0; k < c; k++) sum -= l[r * n + k] * l[c * n + k];
      l[r * n + c] = j->held[r] || j->held[c] || flat ? 0 : sum / l[c * n + c];
    }
  }
}

static void solve(solver *j) {
  const size_t n = j->problem->size;
  const double *const l = j->factor;
  decompose(j);
  for (size_t c = 0; c < n; c++) {
    j->step[c] = j->held[c] ? 0 : -j->here.gradient[c];
    for (size_t k = 0; k < c; k++) j->step[c] -= l[c * n + k] * j->step[k];
    j->step[c] /= l[c * n + c];
  }
  for (size_t c = n; c-- > 0;) {
    for (size_t r = c + 1; r < n; r++) j->step[c] -= l[r * n + c] * j->step[r];
    j->step[c] /= l[c * n + c];
  }
}

/* Evaluates a step, projected onto the bounds; *promise is the predicted change of the value. */
static crd_status try_step(crd_context *ctx, solver *j, double scale, double *promise) {
  const crd__math_box_problem *const p = j->problem;
  *promise = 0;
  for (size_t i = 0; i < p->size; i++) {
    const double x = j->here.x[i], g = j->here.gradient[i];
    const double way = j->held[i] ? (g > 0 ? p->low : p->high) - x : j->step[i];
    j->next.x[i] = fmin(p->high, fmax(p->low, x + scale * way));
    *promise += g * (j->next.x[i] - x);
  }
  return look(ctx, j, &j->next);
}

/* Takes one step; *end is set if it was the last. */
static crd_status advance(crd_context *ctx, solver *j, double *gradient, bool *moved,
                          crd__math_newton_end *end) {
  bool hidden = false;
  double scale = 1;
  *moved = false;
  hold(j, *gradient);
  solve(j);
  for (size_t h = 0; h < HALVINGS_MAX && !*moved && !hidden; h++, scale /= 2) {
    double promise;
    CRD_TRY(try_step(ctx, j, scale, &promise));
    /* If the expected decrease is below rounding, the value does not show progress, but the
     * gradient does. */
    hidden = !(-promise > 1e-13 * fmax(fabs(j->here.value), 0.1));
    *moved = hidden ? largest_pull(j->problem, &j->next) < *gradient / 2
                    : j->next.value <= j->here.value + 1e-4 * promise;
  }
  if (*moved) {
    const point before = j->here;
    j->here = j->next;
    j->next = before;
  } else *end = hidden ? CRD__MATH_NEWTON_CONVERGED : CRD__MATH_NEWTON_NO_DESCENT;
  *gradient = largest_pull(j->problem, &j->here);
  return CRD_OK;
}

static crd_status travel(crd_context *ctx, solver *j, const crd__math_newton_limits *limits,
                         crd__math_newton_result *result) {
  bool moved = true;
  CRD_TRY(look(ctx, j, &j->here));
  result->gradient = largest_pull(j->problem, &j->here);
  result->end = CRD__MATH_NEWTON_STEP_LIMIT;
  for (result->steps = 0; moved && result->gradient > limits->gradient; result->steps++) {
    if (result->steps == limits->steps) return CRD_OK;
    CRD_TRY(advance(ctx, j, &result->gradient, &moved, &result->end));
  }
  if (moved) result->end = CRD__MATH_NEWTON_CONVERGED;
  return CRD_OK;
}

crd_status crd__math_newton_box(crd_context *ctx, const crd__math_box_problem *problem,
                                const crd__math_newton_limits *limits, double *x,
                                crd__math_newton_result *result) {
  const size_t n = problem->size, square = n * n;
  double *memory = NULL;
  bool *held = NULL;
  crd_status status = crd__new(ctx, 3 * square + 5 * n, sizeof *memory, "a solver", &memory);
  if (status == CRD_OK) status = crd__new(ctx, n, sizeof *held, "a solver", &held);
  *result = (crd__math_newton_result){ 0 };
  if (status == CRD_OK) {
    double *const vectors = memory + 3 * square;
    solver j = {
      .problem = problem,
      .here = { .x = vectors, .gradient = vectors + n, .hessian = memory },
      .next = { .x = vectors + 2 * n, .gradient = vectors + 3 * n, .hessian = memory + square },
      .step = vectors + 4 * n,
      .factor = memory + 2 * square,
      .held = held
    };
    memcpy(j.here.x, x, n * sizeof *x);
    status = travel(ctx, &j, limits, result);
    memcpy(x, j.here.x, n * sizeof *x);
    result->value = j.here.value;
  }
  crd__free(&ctx->alloc, held);
  crd__free(&ctx->alloc, memory);
  return status;
}

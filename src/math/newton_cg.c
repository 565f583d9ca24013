/* newton_cg.c -- truncated Newton. Nocedal, Wright: Numerical optimization (2006), chapter 7. */
#include "math/newton_cg.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { HALVINGS_MAX = 60, VECTORS = 8 };

/* The current point, and the vectors of a step. */
typedef struct {
  const crd__math_convex_problem *problem;
  double value, *x, *gradient;
  double next_value, *next, *next_gradient;
  double *step, *residual, *scaled, *direction, *image;
  size_t products;
} solver;

static double dot(const double *a, const double *b, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static double largest(const double *v, size_t n) {
  double most = 0;
  for (size_t i = 0; i < n; i++) most = fmax(most, fabs(v[i]));
  return most;
}

/* Solves step ~ -H^-1 gradient, until the residual (in the preconditioner's norm) has fallen to the
 * fraction `share`. At a direction without curvature it stops with the current step. */
static crd_status solve(crd_context *ctx, solver *j, double share, size_t most) {
  const crd__math_convex_problem *const p = j->problem;
  const size_t n = p->size;
  for (size_t i = 0; i < n; i++) {
    j->step[i] = 0;
    j->residual[i] = -j->gradient[i];
  }
  CRD_TRY(p->precondition(ctx, p->self, j->residual, j->scaled));
  memcpy(j->direction, j->scaled, n * sizeof *j->direction);
  double size = dot(j->residual, j->scaled, n);
  const double goal = share * share * size;
  for (size_t t = 0; t < most && size > goal; t++) {
    CRD_TRY(p->multiply(ctx, p->self, j->direction, j->image));
    j->products++;
    const double curvature = dot(j->direction, j->image, n);
    if (!(curvature > 1e-14 * size)) { /* of H in the preconditioner's norm */
      if (t == 0) memcpy(j->step, j->direction, n * sizeof *j->step);
      break;
    }
    const double length = size / curvature, before = size;
    for (size_t i = 0; i < n; i++) {
      j->step[i] += length * j->direction[i];
      j->residual[i] -= length * j->image[i];
    }
    CRD_TRY(p->precondition(ctx, p->self, j->residual, j->scaled));
    size = dot(j->residual, j->scaled, n);
    for (size_t i = 0; i < n; i++) j->direction[i] = j->scaled[i] + size / before * j->direction[i];
  }
  return CRD_OK;
}

static crd_status try_step(crd_context *ctx, solver *j, double scale) {
  const crd__math_convex_problem *const p = j->problem;
  for (size_t i = 0; i < p->size; i++) j->next[i] = j->x[i] + scale * j->step[i];
  return p->look(ctx, p->self, j->next, &j->next_value, j->next_gradient);
}

static void accept(solver *j) {
  double *const gradient = j->gradient;
  memcpy(j->x, j->next, j->problem->size * sizeof *j->x);
  j->value = j->next_value;
  j->gradient = j->next_gradient;
  j->next_gradient = gradient;
}

/* Takes one step; *end is set if it was the last. */
static crd_status advance(crd_context *ctx, solver *j, double *largest_slope, bool *moved,
                          crd__math_newton_end *end) {
  const size_t n = j->problem->size;
  const double slope = dot(j->gradient, j->step, n);
  /* If the expected decrease is below rounding, the value does not show progress, but the gradient
   * does.
   */
  const bool hidden = !(-slope > 1e-13 * fmax(fabs(j->value), 0.1));
  double scale = 1;
  *moved = false;
  for (size_t h = 0; h < (hidden ? 1 : HALVINGS_MAX) && !*moved; h++, scale /= 2) {
    CRD_TRY(try_step(ctx, j, scale));
    *moved = hidden ? largest(j->next_gradient, n) < *largest_slope / 2
                    : j->next_value <= j->value + 1e-4 * scale * slope;
  }
  if (*moved) accept(j);
  else *end = hidden ? CRD__MATH_NEWTON_CONVERGED : CRD__MATH_NEWTON_NO_DESCENT;
  *largest_slope = largest(j->gradient, n);
  return CRD_OK;
}

/* Returns the forcing term, the relative residual at which CG stops: large far from the minimum,
 * small near it, but never smaller than the final tolerance requires. */
static double share_of(double gradient, double goal) {
  return fmax(fmin(0.1, sqrt(gradient)), 0.1 * goal / gradient);
}

static crd_status travel(crd_context *ctx, solver *j, const crd__math_newton_limits *limits,
                         crd__math_newton_result *result) {
  bool moved = true;
  const crd__math_convex_problem *const p = j->problem;
  CRD_TRY(p->look(ctx, p->self, j->x, &j->value, j->gradient));
  result->gradient = largest(j->gradient, p->size);
  result->end = CRD__MATH_NEWTON_STEP_LIMIT;
  for (result->steps = 0; moved; result->steps++) {
    if (result->gradient <= limits->gradient) result->end = CRD__MATH_NEWTON_CONVERGED;
    else if (j->value < limits->floor) result->end = CRD__NEWTON_FLOOR;
    else if (result->steps < limits->steps) {
      CRD_TRY(p->prepare(ctx, p->self));
      CRD_TRY(solve(ctx, j, share_of(result->gradient, limits->gradient), limits->products));
      CRD_TRY(advance(ctx, j, &result->gradient, &moved, &result->end));
      continue;
    }
    break;
  }
  return CRD_OK;
}

crd_status crd__math_newton_cg(crd_context *ctx, const crd__math_convex_problem *problem,
                               const crd__math_newton_limits *limits, double *x,
                               crd__math_newton_result *result) {
  const size_t n = problem->size;
  double *memory;
  size_t cells;
  if (!crd__size_mul(n, VECTORS, &cells)) cells = SIZE_MAX;
  CRD_TRY(crd__new(ctx, cells, sizeof *memory, "a solver", &memory));
  solver j = { .problem = problem,
               .x = x,
               .gradient = memory,
               .next = memory + n,
               .next_gradient = memory + 2 * n,
               .step = memory + 3 * n,
               .residual = memory + 4 * n,
               .scaled = memory + 5 * n,
               .direction = memory + 6 * n,
               .image = memory + 7 * n };
  *result = (crd__math_newton_result){ 0 };
  const crd_status status = travel(ctx, &j, limits, result);
  result->value = j.value;
  result->products = j.products;
  crd__free(&ctx->alloc, memory);
  return status;
}

/*
 * newton_cg.h -- minimise a smooth convex function of many variables.
 *
 * Truncated Newton: each step solves H d = -g by preconditioned conjugate gradients, only as
 * accurately as is worthwhile, and is halved until the value decreases (Armijo). Only products of H
 * with vectors are needed. All sums are in a fixed order: the same bits for the same callbacks.
 */
#ifndef CRD_MATH_NEWTON_CG_H
#define CRD_MATH_NEWTON_CG_H

#include "base/context.h"

typedef struct {
  size_t size;
  void *self;
  /* Sets value and gradient at x. */
  crd_status (*look)(crd_context *ctx, void *self, const double *x, double *value,
                     double *gradient);
  /* Computes H direction at the x of the last call of `look`. */
  crd_status (*multiply)(crd_context *ctx, void *self, const double *direction, double *out);
  /* Prepares the preconditioner at that x: the inverse of a symmetric, positive definite, cheap
   * approximation of H. The better it is, the fewer products with H are needed. */
  crd_status (*prepare)(crd_context *ctx, void *self);
  crd_status (*precondition)(crd_context *ctx, void *self, const double *residual, double *out);
} crd__math_convex_problem;

typedef struct {
  double gradient; /* converged when no derivative is larger */
  double floor;    /* stop when the value is below; the caller knows what that proves */
  unsigned steps;  /* maximal number of steps */
  size_t products; /* maximal number of products for one step */
} crd__math_newton_limits;

typedef enum {
  CRD__MATH_NEWTON_CONVERGED, /* the gradient is small enough, or further progress is below rounding
                               */
  CRD__NEWTON_FLOOR,
  CRD__MATH_NEWTON_STEP_LIMIT, /* out of steps */
  CRD__MATH_NEWTON_NO_DESCENT  /* no step lowers the value */
} crd__math_newton_end;

typedef struct {
  crd__math_newton_end end;
  double value, gradient; /* the largest derivative */
  unsigned steps;
  size_t products;
} crd__math_newton_result;

/* Minimises from the starting point x; x is the solution. Fails only if a callback fails. */
crd_status crd__math_newton_cg(crd_context *ctx, const crd__math_convex_problem *problem,
                               const crd__math_newton_limits *limits, double *x,
                               crd__math_newton_result *result);

#endif

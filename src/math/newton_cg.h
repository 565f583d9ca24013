/*
 * newton_cg.h -- the minimum of a smooth convex function of many unknowns.
 *
 * Truncated Newton: each step solves H d = -g by conjugate gradients with a preconditioner, as
 * exactly as it pays, and is halved until the value falls (Armijo). Only products
 * of H with vectors are asked for. All sums run in order: the same bits for the same callbacks.
 */
#ifndef CRD_MATH_NEWTON_CG_H
#define CRD_MATH_NEWTON_CG_H

#include "base/context.h"

typedef struct {
  size_t size;
  void *self;
  /* Value and gradient at x. */
  crd_status (*look)(crd_context *ctx, void *self, const double *x, double *value,
                     double *gradient);
  /* At the x that was looked at last: H direction. */
  crd_status (*multiply)(crd_context *ctx, void *self, const double *direction, double *out);
  /* Get ready, at that x, for products with the inverse of an approximation of H: positive
   * definite, symmetric, and cheap. The better, the fewer products with H are needed. */
  crd_status (*prepare)(crd_context *ctx, void *self);
  crd_status (*precondition)(crd_context *ctx, void *self, const double *residual, double *out);
} crd__math_convex_problem;

typedef struct {
  double gradient; /* done when no derivative is larger */
  double floor;    /* done when the value is below: the caller knows what that proves */
  unsigned steps;  /* the most that are taken */
  size_t products; /* the most for one step */
} crd__math_newton_limits;

typedef enum {
  CRD__MATH_NEWTON_CONVERGED, /* the gradient is small enough, or rounding hides all further
                                 progress */
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

/* From x on; x is the answer. */
crd_status crd__math_newton_cg(crd_context *ctx, const crd__math_convex_problem *problem,
                               const crd__math_newton_limits *limits, double *x,
                               crd__math_newton_result *result);

#endif

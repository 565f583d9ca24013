/*
 * newton_box.h -- the minimum of a smooth convex function of few unknowns between bounds.
 *
 * Projected Newton: unknowns that rest at a bound and are pushed against it stay there; the others
 * take a Newton step, which is cut off at the bounds and halved until the value falls (Armijo). All
 * sums run in order: the same bits for the same callback.
 */
#ifndef CRD_MATH_NEWTON_BOX_H
#define CRD_MATH_NEWTON_BOX_H

#include "math/newton_cg.h"

typedef struct {
  size_t size;
  double low, high; /* of every unknown */
  void *self;
  /* Value, gradient and Hessian (size x size, all of it) at x, which lies between the bounds. */
  crd_status (*look)(crd_context *ctx, void *self, const double *x, double *value, double *gradient,
                     double *hessian);
} crd__math_box_problem;

/* From x on, which lies between the bounds; x is the answer. The result's gradient is the largest
 * derivative that a bound does not hold; of `limits` the gradient and steps count. */
crd_status crd__math_newton_box(crd_context *ctx, const crd__math_box_problem *problem,
                                const crd__math_newton_limits *limits, double *x,
                                crd__math_newton_result *result);

#endif

/*
 * newton_box.h -- minimise a smooth convex function of few variables under bounds.
 *
 * Projected Newton: variables that are at a bound and are pushed against it stay there; the others
 * take a Newton step, which is projected onto the bounds and halved until the value decreases
 * (Armijo). All sums are in a fixed order: the same bits for the same callback.
 */
#ifndef CRD_MATH_NEWTON_BOX_H
#define CRD_MATH_NEWTON_BOX_H

#include "math/newton_cg.h"

typedef struct {
  size_t size;
  double low, high; /* bounds of every variable */
  void *self;
  /* Sets value, gradient and Hessian (size x size, both triangles) at x, within the bounds. */
  crd_status (*look)(crd_context *ctx, void *self, const double *x, double *value, double *gradient,
                     double *hessian);
} crd__math_box_problem;

/* Minimises from the starting point x, within the bounds; x is the solution. result->gradient is
 * the largest derivative of a variable that is not held at a bound; of `limits`, gradient and steps
 * apply. */
crd_status crd__math_newton_box(crd_context *ctx, const crd__math_box_problem *problem,
                                const crd__math_newton_limits *limits, double *x,
                                crd__math_newton_result *result);

#endif

/*
 * slope.h -- the derivative at 0 of a function of one number that is rounded and may have kinks,
 * and how far that can be trusted.
 *
 * With steps h = 1/16, 1/32, ... the difference quotient D(h) = (f(h) - f(-h)) / 2h first gets
 * better, then noise / h takes over. Taken is the step whose quotient is contradicted least: by
 * those of smaller steps, as far as their noise allows, and by a disagreement of the two sides,
 * (f(h) - 2 f(0) + f(-h)) / h, that does not go to 0 with h: a kink.
 *
 * The noise of f is measured from differences of high order, which smooth functions do not have.
 *   More, Wild: Estimating computational noise. SIAM J. Sci. Comput. 33(3), 2011.
 */
#ifndef CRD_MATH_SLOPE_H
#define CRD_MATH_SLOPE_H

#include "base/context.h"

/* *out = f(t) */
typedef crd_status (*crd__line_fn)(crd_context *ctx, void *self, double t, double *out);

typedef struct {
  double slope, step;
  double doubt; /* what it may be wrong by; where that is noise, its standard deviation */
} crd__slope;

/* The standard deviation of rounding errors in f near 0. */
crd_status crd__line_noise(crd_context *ctx, crd__line_fn f, void *self, double *out);
/* `at_0` is f(0). */
crd_status crd__line_slope(crd_context *ctx, crd__line_fn f, void *self, double at_0, double noise,
                           crd__slope *out);

#endif

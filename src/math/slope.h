/*
 * slope.h -- compare derivatives with finite differences of a noisy function that may have kinks.
 *
 * The noise of f is estimated from differences of high order, which vanish for smooth functions.
 *   More, Wild: Estimating computational noise. SIAM J. Sci. Comput. 33(3), 2011.
 *
 * A difference quotient is the mean of the derivative along its step, kinks or not:
 *   (f(h) - f(-h)) / 2h = mean of f'(t) over -h < t < h.
 * At a kink f' jumps, at an unknown position between two points: with d the change of f' between
 * points a distance w apart, the trapezoidal rule has an error of variance (d w)^2 / 12. The
 * interval with the largest error is halved until the total is small.
 */
#ifndef CRD_MATH_SLOPE_H
#define CRD_MATH_SLOPE_H

#include "base/context.h"

/* Sets *out = f(t). */
typedef crd_status (*crd__math_line_fn)(crd_context *ctx, void *self, double t, double *out);

typedef struct {
  double mean;
  double doubt; /* three standard deviations of its error */
  bool bent;    /* a coarse grid was not enough: f jumps or bends along the step */
} crd__math_line_mean;

/* Estimates the standard deviation of rounding errors in f near 0. */
crd_status crd__math_line_noise(crd_context *ctx, crd__math_line_fn f, void *self, double *out);
/* Estimates the mean of f over -step < t < step, from `parts` equal intervals that are refined. The
 * doubt stays above `allowed` if that would take too many points. Jumps that cancel within one
 * interval are missed; more parts find them. */
enum { CRD__LINE_PARTS_MOST = 32 };
crd_status crd__math_line_average(crd_context *ctx, crd__math_line_fn f, void *self, double step,
                                  int parts, double allowed, crd__math_line_mean *out);

#endif

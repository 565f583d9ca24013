/*
 * slope.h -- compare derivatives with finite differences of a noisy function that may have kinks.
 *
 * The noise of f is estimated from differences of high order, which vanish for smooth functions.
 *   More, Wild: Estimating computational noise. SIAM J. Sci. Comput. 33(3), 2011.
 *
 * A difference quotient is the mean of the derivative along its step, kinks or not:
 *   (f(h) - f(-h)) / 2h = mean of f'(t) over -h < t < h.
 * At a kink f' jumps, at an unknown position between two points: with d the change of f' between
 * points a distance w apart, the trapezoidal rule has an error of variance (d w)^2 / 12. Many kinks
 * are no harder than few: their errors average out. Intervals are equally wide; if those with the
 * largest d were divided further, the d of the others would be small by selection, and the variance
 * underestimated (by a factor of 4 for a random walk).
 */
#ifndef CRD_MATH_SLOPE_H
#define CRD_MATH_SLOPE_H

#include "base/context.h"

/* Sets *out = f(t). */
typedef crd_status (*crd__math_line_fn)(crd_context *ctx, void *self, double t, double *out);

/* Estimates the standard deviation of rounding errors in f near 0. */
crd_status crd__math_line_noise(crd_context *ctx, crd__math_line_fn f, void *self, double *out);

/* Values of f at points from -step to step, in order. */
enum { CRD__LINE_POINTS_MOST = 257 };
typedef struct {
  int count;
  double at[CRD__LINE_POINTS_MOST], values[CRD__LINE_POINTS_MOST];
} crd__math_line;

/* Evaluates f at both ends of the step. */
crd_status crd__math_line_open(crd_context *ctx, crd__math_line_fn f, void *self, double step,
                               crd__math_line *out);
/* Bisects intervals until each is at most 1/parts of the step, a power of 2 below POINTS_MOST.
 * Jumps that cancel within one interval are missed; more parts find them. */
crd_status crd__math_line_refine(crd_context *ctx, crd__math_line_fn f, void *self, int parts,
                                 crd__math_line *line);
/* Drops the outer quarters of the step; it must have been refined. */
void crd__math_line_halve(crd__math_line *line);
/* Estimates the mean of f over the step, and the standard deviation of its error. */
double crd__math_line_mean(const crd__math_line *line, double *deviation);

#endif

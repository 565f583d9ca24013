/*
 * slope.h -- what it takes to compare derivatives with differences of a function of one number that
 * is rounded and may have kinks.
 *
 * The noise of f is measured from differences of high order, which smooth functions do not have.
 *   More, Wild: Estimating computational noise. SIAM J. Sci. Comput. 33(3), 2011.
 *
 * A difference quotient is the mean of the derivative along its step, kinks or not:
 *   (f(h) - f(-h)) / 2h = mean of f'(t) over -h < t < h.
 * At kinks f' jumps. Where between two points is unknown: with d the change of f' between points a
 * distance w apart, the trapezoidal rule is off by an error of variance (d w)^2 / 12. The interval
 * with the largest is halved until all together say little.
 */
#ifndef CRD_MATH_SLOPE_H
#define CRD_MATH_SLOPE_H

#include "base/context.h"

/* *out = f(t) */
typedef crd_status (*crd__math_line_fn)(crd_context *ctx, void *self, double t, double *out);

typedef struct {
  double mean;
  double doubt; /* three standard deviations of its error */
  bool bent;    /* a few points alike were not enough: f jumps, or bends, along the step */
} crd__math_line_mean;

/* The standard deviation of rounding errors in f near 0. */
crd_status crd__math_line_noise(crd_context *ctx, crd__math_line_fn f, void *self, double *out);
/* Of f over -step < t < step, from `parts` equal intervals and parts of them; the doubt stays above
 * `allowed` where too many would be needed. Jumps that cancel within one interval are not seen:
 * with more parts they are. */
enum { CRD__LINE_PARTS_MOST = 32 };
crd_status crd__math_line_average(crd_context *ctx, crd__math_line_fn f, void *self, double step,
                                  int parts, double allowed, crd__math_line_mean *out);

#endif

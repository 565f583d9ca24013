/*
 * student.c -- the two-sided tail of Student's t distribution, a regularised incomplete beta
 * function: with f degrees of freedom and x = f / (f + t^2),
 *
 *   P(|T| >= |t|) = I_x(f / 2, 1 / 2)
 *
 * Far tails keep their relative accuracy, which 1 - P(|T| < |t|) would lose.
 *
 * Abramowitz, Stegun: Handbook of Mathematical Functions (1964), 26.7.1.
 */
#include "math/student.h"
#include "math/beta.h"

#include <math.h>

double crd__math_student_p(double t, double freedom) {
  const double f = freedom, square = t * t;
  if (isnan(t) || t == 0) return isnan(t) ? t : 1;
  if (isinf(square)) return 0;
  return crd__math_beta(f / 2, 0.5, f / (f + square), square / (f + square));
}

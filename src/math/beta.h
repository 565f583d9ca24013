/* beta.h -- the regularised incomplete beta function. */
#ifndef CRD_MATH_BETA_H
#define CRD_MATH_BETA_H

/* I_x(a, b) for a, b > 0, between 0 and 1; `rest` is 1 - x, without cancellation where the caller
 * knows it. */
double crd__math_beta(double a, double b, double x, double rest);

#endif

/*
 * special.h -- the error function and the logarithm of the gamma function, with the same bits on
 * every processor.
 *
 * The C library's differ by a few units in the last place between processors, since its compiler
 * fuses multiplications and additions on some of them. exp, log, log1p, expm1, pow, sin, cos and
 * tanh of glibc do not differ between x86-64 with FMA and aarch64.
 */
#ifndef CRD_MATH_SPECIAL_H
#define CRD_MATH_SPECIAL_H

double crd__math_erf(double x);
/* Computes 1 - erf(x) without cancellation. */
double crd__math_erfc(double x);
/* Computes log(gamma(x)), x > 0. Its absolute error is at most 8e-15, or 3 units in the last place
 * where that is larger. */
double crd__math_lgamma(double x);

#endif

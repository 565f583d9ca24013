/*
 * beta.c -- the regularised incomplete beta function, by its continued fraction:
 *
 *   I_x(a, b) = x^a (1 - x)^b / (a B(a, b)) * 1 / (1 + d_1 / (1 + d_2 / (1 + ...)))
 *   d_2m = m (b - m) x / ((a + 2m - 1) (a + 2m))
 *   d_2m+1 = -(a + m) (a + b + m) x / ((a + 2m) (a + 2m + 1))
 *
 * The continued fraction converges fast for x < (a + 1) / (a + b + 2), in about sqrt(max(a, b))
 * terms; beyond that, I_x(a, b) = 1 - I_1-x(b, a). Far tails keep their relative accuracy.
 *
 * Abramowitz, Stegun: Handbook of Mathematical Functions (1964), 26.5.8. Evaluated as in Lentz:
 * Generating Bessel functions in Mie scattering calculations using continued fractions (1976).
 */
#include "math/beta.h"
#include "math/special.h"

#include <float.h>
#include <math.h>

enum { TERMS_MAX = 100000 };

/* Keeps the denominators of Lentz's method away from 0. */
static double nonzero(double value) { return fabs(value) < DBL_MIN ? DBL_MIN : value; }

static double coefficient(double a, double b, double x, int term) {
  const int half = term / 2;
  const double m = half;
  if (term % 2 == 0) return m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
  return -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
}

/* 1 + d_1 / (1 + d_2 / (1 + ...)) */
static double fraction(double a, double b, double x) {
  double value = 1, above = 1, below = 0;
  for (int i = 1; i <= TERMS_MAX; i++) {
    const double d = coefficient(a, b, x, i);
    below = 1 / nonzero(1 + d * below);
    above = nonzero(1 + d / above);
    value *= above * below;
    if (fabs(above * below - 1) < DBL_EPSILON) break;
  }
  return value;
}

static double by_fraction(double a, double b, double x, double rest) {
  const double log_beta = crd__math_lgamma(a) + crd__math_lgamma(b) - crd__math_lgamma(a + b);
  return exp(a * log(x) + b * log(rest) - log_beta) / (a * fraction(a, b, x));
}

double crd__math_beta(double a, double b, double x, double rest) {
  if (!(x > 0)) return 0;
  if (!(rest > 0)) return 1;
  return x < (a + 1) / (a + b + 2) ? by_fraction(a, b, x, rest) : 1 - by_fraction(b, a, rest, x);
}

/*
 * special.c -- erf and erfc by the rational Chebyshev approximations of Cody (1969), "Rational
 * Chebyshev approximations for the error function", Mathematics of Computation 23; log gamma by
 * Stirling's series
 *
 *   log gamma(x) = (x - 1/2) log x - x + log(2 pi) / 2 + sum_k B_2k / (2k (2k - 1) x^(2k - 1)),
 *
 * eight terms, from x = 8 on, where the ninth is below 1e-16; smaller x are shifted there by
 * gamma(x + 1) = x gamma(x).
 */
#include "math/special.h"

#include <math.h>
#include <stddef.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* Numerators and denominators from the highest power on; a denominator's is 1 and left out. */
static const double near_p[] = { 1.85777706184603153e-1, 3.16112374387056560, 1.13864154151050156e2,
                                 3.77485237685302021e2, 3.20937758913846947e3 };
static const double near_q[] = { 2.36012909523441209e1, 2.44024637934444173e2,
                                 1.28261652607737228e3, 2.84423683343917062e3 };
static const double middle_p[] = { 2.15311535474403846e-8, 5.64188496988670089e-1,
                                   8.88314979438837594,    6.61191906371416295e1,
                                   2.98635138197400131e2,  8.81952221241769090e2,
                                   1.71204761263407058e3,  2.05107837782607147e3,
                                   1.23033935479799725e3 };
static const double middle_q[] = { 1.57449261107098347e1, 1.17693950891312499e2,
                                   5.37181101862009858e2, 1.62138957456669019e3,
                                   3.29079923573345963e3, 4.36261909014324716e3,
                                   3.43936767414372164e3, 1.23033935480374942e3 };
static const double far_p[] = { 1.63153871373020978e-2, 3.05326634961232344e-1,
                                3.60344899949804439e-1, 1.25781726111229246e-1,
                                1.60837851487422766e-2, 6.58749161529837803e-4 };
static const double far_q[] = { 2.56852019228982242, 1.87295284992346725, 5.27905102951428412e-1,
                                6.05183413124413191e-2, 2.33520497626869185e-3 };

static double polynomial(const double *list, size_t count, double value, double x) {
  for (size_t i = 0; i < count; i++) value = value * x + list[i];
  return value;
}

#define RATIO(p, q, x) (polynomial(p, COUNT(p), 0, x) / polynomial(q, COUNT(q), 1, x))

enum { FAR = 4 };
static const double close = 0.46875;

static double erf_near(double x) { return x * RATIO(near_p, near_q, x * x); }

/* Of x above 0.46875. exp(-x^2) is split, so that the rounding of x^2 is not magnified. */
static double erfc_beyond(double x) {
  static const double root = 0.56418958354775628695; /* 1 / sqrt(pi) */
  const double square = 1 / (x * x), head = trunc(x * 16) / 16;
  const double factor =
      x > FAR ? (root - square * RATIO(far_p, far_q, square)) / x : RATIO(middle_p, middle_q, x);
  return exp(-head * head) * exp(-(x - head) * (x + head)) * factor;
}

double crd__math_erf(double x) {
  const double size = fabs(x);
  if (!(size > close)) return erf_near(x);
  return copysign(1 - crd__math_erfc(size), x);
}

double crd__math_erfc(double x) {
  static const double least = 27.3; /* beyond it the result is below the smallest number */
  const double size = fabs(x);
  if (!(size > close)) return 1 - erf_near(x);
  const double tail = size < least ? erfc_beyond(size) : 0;
  return x > 0 ? tail : 2 - tail;
}

double crd__math_lgamma(double x) {
  static const double half_log_two_pi = 0.91893853320467274178;
  static const double terms[] = { -3617.0 / 122400, 1.0 / 156,  -691.0 / 360360, 1.0 / 1188,
                                  -1.0 / 1680,      1.0 / 1260, -1.0 / 360,      1.0 / 12 };
  double product = 1;
  for (; x < 8; x++) product *= x;
  const double rest = polynomial(terms, COUNT(terms), 0, 1 / (x * x)) / x;
  return (x - 0.5) * log(x) - x + (half_log_two_pi + rest) - (product == 1 ? 0 : log(product));
}

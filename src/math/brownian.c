/*
 * brownian.c -- distributions of the maximum of |B| and of the range of Brownian motion, each by
 * two series: one of normal tails, which converges fast for large x, and its Poisson-summation
 * counterpart for small x. With odd j = 1, 3, 5 ... and k = 1, 2, 3 ...
 *
 *   P(max |B| >= x) = 2 (erfc(x / r) - erfc(3 x / r) + erfc(5 x / r) - ...),  r = sqrt(2)
 *                   = 1 - 4 / pi sum_j (-1)^((j - 1) / 2) exp(-(j pi / x)^2 / 8) / j
 *   P(range >= x)   = 4 sum_k (-1)^(k - 1) k erfc(k x / r)
 *                   = 1 - 8 sum_j (1 / x^2 + 1 / (j pi)^2) exp(-(j pi / x)^2 / 2)
 *
 * Feller: The asymptotic distribution of the range of sums of independent random variables (1951).
 */
#include "math/brownian.h"
#include "math/special.h"

#include <math.h>

static const double pi = 3.14159265358979323846, root_half = 0.70710678118654752440;
/* At the crossover of the series the first omitted term is below 1e-17. */
enum { TERMS = 8 };
static const double far_peak = 1, far_range = 1.5;

double crd__math_normal_p(double z) { return crd__math_erfc(fabs(z) * root_half); }

static double peak_far(double x) {
  double sum = 0;
  for (int k = TERMS; k-- > 0;) {
    const double tail = crd__math_erfc((2 * k + 1) * x * root_half);
    sum += k % 2 ? -tail : tail;
  }
  return 2 * sum;
}

static double peak_near(double x) {
  double sum = 0;
  for (int k = TERMS; k-- > 0;) {
    const double j = 2 * k + 1, term = exp(-j * j * pi * pi / (8 * x * x)) / j;
    sum += k % 2 ? -term : term;
  }
  return 1 - 4 / pi * sum;
}

double crd__math_brownian_peak_p(double peak) {
  if (!(peak > 0)) return 1;
  return fmin(1, fmax(0, peak < far_peak ? peak_near(peak) : peak_far(peak)));
}

static double range_far(double x) {
  double sum = 0;
  for (int k = TERMS; k > 0; k--) {
    const double tail = k * crd__math_erfc(k * x * root_half);
    sum += k % 2 ? tail : -tail;
  }
  return 4 * sum;
}

static double range_near(double x) {
  double sum = 0;
  for (int k = TERMS; k-- > 0;) {
    const double wave = (2 * k + 1) * pi;
    sum += (1 / (x * x) + 1 / (wave * wave)) * exp(-wave * wave / (2 * x * x));
  }
  return 1 - 8 * sum;
}

double crd__math_brownian_range_p(double range) {
  if (!(range > 0)) return 1;
  return fmin(1, fmax(0, range < far_range ? range_near(range) : range_far(range)));
}

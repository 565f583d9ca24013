/*
 * bin_range.c -- 95 % intervals of proportions, and consistency bars of calibrated bins.
 *
 * The interval of a proportion is Wilson's (1927): all p with |a - p| <= z sqrt(p (1 - p) / n). It
 * stays within [0, 1], and does not shrink to a point when all rows are correct.
 *
 * The interval of the difference of two proportions of the same rows is Tango's (1998) score
 * interval: all d for which the observed difference is within z standard deviations, at the
 * maximum-likelihood probabilities given d. If the two never differ it is +- z^2 / (n + z^2).
 *
 * The range of a calibrated bin (consistency bars; Broecker, Smith 2007) is that of a binomial
 * count with the bin's mean confidence c. Rows of different confidences vary less, so it is never
 * too narrow. If the variance v = n c (1 - c) is small, the quantiles are summed exactly from the
 * nearer end; else they are normal quantiles with Cornish and Fisher's skewness correction:
 *   n c +- z sqrt(v) + (z^2 - 1) (1 - 2 c) / 6.
 * n is the number of rows, also with weights, as in the noise floor of ece.
 */
#include "evaluate/bin_range.h"

#include <math.h>

static const double z = 1.959963984540054, tail = 0.025;
static const double variance_summed = 25; /* below it, exact sums have few terms */

crd__evaluate_range crd__evaluate_share_interval(double share, double rows) {
  const double n = rows, shrink = 1 / (1 + z * z / n);
  const double centre = shrink * (share + z * z / (2 * n));
  const double half = shrink * z * sqrt(share * (1 - share) / n + z * z / (4 * n * n));
  /* Rounding must not move the share outside. */
  return (crd__evaluate_range){ fmin(fmax(centre - half, 0), share),
                                fmax(fmin(centre + half, 1), share) };
}

/* (b - c - n d) in standard deviations if the true difference is d; q is then the
 * maximum-likelihood probability of a row that counts for the second share only. */
static double score(double b, double c, double n, double d) {
  const double linear = (2 * n - b + c) * d - b - c, constant = -c * d * (1 - d);
  const double q = (sqrt(fmax(0, linear * linear - 8 * n * constant)) - linear) / (4 * n);
  const double variance = n * (2 * fmax(0, q) + d * (1 - d));
  const double distance = b - c - n * d;
  return variance > 0    ? distance / sqrt(variance)
         : distance == 0 ? 0
                         : copysign(INFINITY, distance);
}

/* The score decreases in d: bisects until the two ends are adjacent doubles. */
static double solve(double b, double c, double n, double target, double low, double high) {
  for (double middle = (low + high) / 2; middle > low && middle < high; middle = (low + high) / 2)
    if (score(b, c, n, middle) > target) low = middle;
    else high = middle;
  return target > 0 ? low : high;
}

crd__evaluate_range crd__evaluate_share_difference_interval(double first, double second,
                                                            double rows) {
  const double observed = (first - second) / rows;
  return (crd__evaluate_range){ solve(first, second, rows, z, -1, observed),
                                solve(first, second, rows, -z, observed, 1) };
}

/* Quantiles of the count by exact summation, for a probability of at most 1/2. */
static crd__evaluate_range summed(double probability, double n) {
  double mass = exp(n * log1p(-probability)), below = 0, k = 0, low = -1;
  for (;; k++) {
    below += mass;
    if (low < 0 && below > tail) low = k;
    if (below >= 1 - tail || k >= n) return (crd__evaluate_range){ low, k };
    mass *= (n - k) / (k + 1) * (probability / (1 - probability));
  }
}

static crd__evaluate_range approximated(double probability, double n) {
  const double middle = n * probability + (z * z - 1) * (1 - 2 * probability) / 6;
  const double half = z * sqrt(n * probability * (1 - probability));
  return (crd__evaluate_range){ middle - half, middle + half };
}

crd__evaluate_range crd__evaluate_calibrated_range(double probability, size_t rows) {
  const double n = (double)rows, rate = fmin(fmax(probability, 0), 1);
  const double rarer = fmin(rate, 1 - rate);
  const crd__evaluate_range count =
      n * rarer * (1 - rarer) < variance_summed ? summed(rarer, n) : approximated(rarer, n);
  if (rate <= 0.5) return (crd__evaluate_range){ count.low / n, count.high / n };
  return (crd__evaluate_range){ (n - count.high) / n, (n - count.low) / n };
}

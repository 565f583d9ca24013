/*
 * bin_range.c -- how far a bin's accuracy can be trusted, and what calibration would show there.
 *
 * The interval is Wilson's (1927): all p with |a - p| <= z sqrt(p (1 - p) / n). It stays within
 * 0 .. 1, and does not shrink to a point where all rows are right.
 *
 * The interval of a difference of two shares of the same rows is Tango's (1998), the same idea: all
 * d for which the difference seen is within z standard deviations, at the probabilities that are
 * likeliest under d. Where the two never differ it is +- z^2 / (n + z^2).
 *
 * The range of a calibrated bin (Broecker, Smith 2007: consistency bars) is that of a binomial
 * count with the bin's mean confidence c. Rows of different confidences vary less, so it is never
 * too narrow. Where the variance v = n c (1 - c) is small the quantiles are summed up from the near
 * end; else they are the normal ones with Cornish and Fisher's term for the skewness:
 *   n c +- z sqrt(v) + (z^2 - 1) (1 - 2 c) / 6.
 * n is the number of rows, with weights too: as in the noise floor of ece.
 */
#include "evaluate/bin_range.h"

#include <math.h>

static const double z = 1.959963984540054, tail = 0.025;
static const double variance_summed = 25; /* below it, sums have few terms */

crd__evaluate_range crd__evaluate_share_interval(double share, double rows) {
  const double n = rows, shrink = 1 / (1 + z * z / n);
  const double centre = shrink * (share + z * z / (2 * n));
  const double half = shrink * z * sqrt(share * (1 - share) / n + z * z / (4 * n * n));
  /* The share is inside, but for rounding. */
  return (crd__evaluate_range){ fmin(fmax(centre - half, 0), share),
                                fmax(fmin(centre + half, 1), share) };
}

/* (b - c - n d) in standard deviations, if the difference of the shares is d in truth: q is then
 * the likeliest probability of a row that counts for the second share alone. */
static double score(double b, double c, double n, double d) {
  const double linear = (2 * n - b + c) * d - b - c, constant = -c * d * (1 - d);
  const double q = (sqrt(fmax(0, linear * linear - 8 * n * constant)) - linear) / (4 * n);
  const double variance = n * (2 * fmax(0, q) + d * (1 - d));
  const double distance = b - c - n * d;
  return variance > 0    ? distance / sqrt(variance)
         : distance == 0 ? 0
                         : copysign(INFINITY, distance);
}

/* The score falls as d rises: halve until the two ends are neighbours. */
static double solve(double b, double c, double n, double target, double low, double high) {
  for (double middle = (low + high) / 2; middle > low && middle < high; middle = (low + high) / 2)
    if (score(b, c, n, middle) > target) low = middle;
    else high = middle;
  return target > 0 ? low : high;
}

crd__evaluate_range crd__evaluate_share_difference_interval(double first, double second,
                                                            double rows) {
  const double seen = (first - second) / rows;
  return (crd__evaluate_range){ solve(first, second, rows, z, -1, seen),
                                solve(first, second, rows, -z, seen, 1) };
}

/* Quantiles of the count, for a probability of at most 1/2. */
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
  const double n = (double)rows, right = fmin(fmax(probability, 0), 1);
  const double rarer = fmin(right, 1 - right);
  const crd__evaluate_range count =
      n * rarer * (1 - rarer) < variance_summed ? summed(rarer, n) : approximated(rarer, n);
  if (right <= 0.5) return (crd__evaluate_range){ count.low / n, count.high / n };
  return (crd__evaluate_range){ (n - count.high) / n, (n - count.low) / n };
}

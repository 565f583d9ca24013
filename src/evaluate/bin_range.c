/*
 * bin_range.c -- how far a bin's accuracy can be trusted, and what calibration would show there.
 *
 * The interval is Wilson's (1927): all p with |a - p| <= z sqrt(p (1 - p) / n). It stays within
 * 0 .. 1, and does not shrink to a point where all rows are right.
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

crd__range crd__share_interval(double share, size_t rows) {
  const double n = (double)rows, shrink = 1 / (1 + z * z / n);
  const double centre = shrink * (share + z * z / (2 * n));
  const double half = shrink * z * sqrt(share * (1 - share) / n + z * z / (4 * n * n));
  /* The share is inside, but for rounding. */
  return (crd__range){ fmin(fmax(centre - half, 0), share), fmax(fmin(centre + half, 1), share) };
}

/* Quantiles of the count, for a probability of at most 1/2. */
static crd__range summed(double probability, double n) {
  double mass = exp(n * log1p(-probability)), below = 0, k = 0, low = -1;
  for (;; k++) {
    below += mass;
    if (low < 0 && below > tail) low = k;
    if (below >= 1 - tail || k >= n) return (crd__range){ low, k };
    mass *= (n - k) / (k + 1) * (probability / (1 - probability));
  }
}

static crd__range approximated(double probability, double n) {
  const double middle = n * probability + (z * z - 1) * (1 - 2 * probability) / 6;
  const double half = z * sqrt(n * probability * (1 - probability));
  return (crd__range){ middle - half, middle + half };
}

crd__range crd__calibrated_range(double probability, size_t rows) {
  const double n = (double)rows, right = fmin(fmax(probability, 0), 1);
  const double rarer = fmin(right, 1 - right);
  const crd__range count =
      n * rarer * (1 - rarer) < variance_summed ? summed(rarer, n) : approximated(rarer, n);
  if (right <= 0.5) return (crd__range){ count.low / n, count.high / n };
  return (crd__range){ (n - count.high) / n, (n - count.low) / n };
}

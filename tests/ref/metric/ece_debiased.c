#include "ref/metrics.h"

#include <math.h>

/* E|X| by numerical integration of the density. */
static double mean_distance(double mean, double deviation) {
  const int steps = 4000;
  double sum = 0, mass = 0;
  if (deviation == 0) return fabs(mean);
  /* Simpson's rule on both sides of the kink at 0. */
  for (int side = -1; side <= 1; side += 2) {
    const double far = side * (fabs(mean) + 12 * deviation);
    for (int i = 0; i <= steps; i++) {
      const double x = far * i / steps, z = (x - mean) / deviation;
      const double share = (i == 0 || i == steps ? 1 : i % 2 ? 4 : 2) * fabs(far) * exp(-z * z / 2);
      sum += share * fabs(x);
      mass += share;
    }
  }
  return sum / mass;
}

static double term(ref_bin b, double n) {
  const double deviation = sqrt(b.accuracy * fmax(0, 1 - b.accuracy) / n);
  return b.weight * (2 * ref_gap(b) - mean_distance(b.confidence - b.accuracy, deviation));
}

double ref_ece_debiased(const ref_table *t) { return ref_over_mass_bins(t, term) / t->total; }

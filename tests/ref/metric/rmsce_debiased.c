#include "ref/metrics.h"

#include <math.h>

static double term(ref_bin b, double n) {
  if (n < 2 - 1e-9) return 0;
  return b.weight * (pow(b.confidence - b.accuracy, 2) - b.accuracy * (1 - b.accuracy) / (n - 1));
}

double ref_rmsce_debiased(const ref_table *t) {
  return sqrt(fmax(0, ref_over_mass_bins(t, term) / t->total));
}

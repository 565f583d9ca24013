#include "ref/metrics.h"

static double term(ref_bin b, double n) {
  (void)n;
  return b.weight * ref_gap(b);
}

double ref_aece(const ref_table *t) { return ref_over_mass_bins(t, term) / t->total; }

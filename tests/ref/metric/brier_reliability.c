#include "ref/metrics.h"

static double term(ref_bin b) { return b.weight * ref_gap(b) * ref_gap(b); }

double ref_brier_reliability(const ref_table *t) {
  size_t filled;
  return ref_over_bins(t, term, &filled) / t->total;
}

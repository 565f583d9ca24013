#include "ref/metrics.h"

static double term(ref_bin b) { return ref_gap(b); }

double ref_ace(const ref_table *t) {
  size_t filled;
  const double sum = ref_over_bins(t, term, &filled);
  return sum / (double)filled;
}

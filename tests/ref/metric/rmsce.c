#include "ref/metrics.h"

#include <math.h>

static double term(ref_bin b) { return b.weight * ref_gap(b) * ref_gap(b); }

double ref_rmsce(const ref_table *t) {
  size_t filled;
  return sqrt(ref_over_bins(t, term, &filled) / t->total);
}

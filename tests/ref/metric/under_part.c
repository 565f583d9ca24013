#include "ref/metrics.h"

#include <math.h>

static double term(ref_bin b) { return b.weight * fmax(b.accuracy - b.confidence, 0); }

double ref_under_part(const ref_table *t) {
  size_t filled;
  return ref_over_bins(t, term, &filled) / t->total;
}

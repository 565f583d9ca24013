#include "ref/metrics.h"

#include <math.h>

static double term(ref_bin b) {
  return b.weight * b.confidence * fmax(b.confidence - b.accuracy, 0);
}

double ref_oe(const ref_table *t) {
  size_t filled;
  return ref_over_bins(t, term, &filled) / t->total;
}

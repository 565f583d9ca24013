#include "ref/metrics.h"

static double term(ref_bin b) {
  return b.weight * (ref_log_loss(b.confidence, b.accuracy) - ref_log_loss(b.accuracy, b.accuracy));
}

double ref_nll_reliability(const ref_table *t) {
  size_t filled;
  return ref_over_bins(t, term, &filled) / t->total;
}

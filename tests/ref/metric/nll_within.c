#include "ref/metrics.h"

static double term(ref_bin b) { return b.weight * ref_log_loss(b.confidence, b.accuracy); }

double ref_nll_within(const ref_table *t) {
  size_t filled;
  return ref_nll_top1(t) - ref_over_bins(t, term, &filled) / t->total;
}

#include "ref/metrics.h"

/* Mutual information: the entropy of correctness minus its conditional entropy given the bin. */
static double term(ref_bin b) { return b.weight * ref_log_loss(b.accuracy, b.accuracy); }

double ref_nll_resolution(const ref_table *t) {
  size_t filled;
  return ref_nll_uncertainty(t) - ref_over_bins(t, term, &filled) / t->total;
}

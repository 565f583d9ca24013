#include "ref/metrics.h"

/* The entropy that is left when the bin is known, taken from that of all rows. */
static double term(ref_bin b) { return b.weight * ref_log_loss(b.accuracy, b.accuracy); }

double ref_nll_resolution(const ref_table *t) {
  size_t filled;
  return ref_nll_uncertainty(t) - ref_over_bins(t, term, &filled) / t->total;
}

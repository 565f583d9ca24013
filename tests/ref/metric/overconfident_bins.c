#include "ref/metrics.h"

static double term(ref_bin b) { return b.accuracy <= b.confidence; }

double ref_overconfident_bins(const ref_table *t) {
  size_t filled;
  const double over = ref_over_bins(t, term, &filled);
  return over / (double)filled;
}

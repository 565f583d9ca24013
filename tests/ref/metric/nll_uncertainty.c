#include "ref/metrics.h"

double ref_nll_uncertainty(const ref_table *t) {
  const double accuracy = ref_side(t, 1) / t->total;
  return ref_log_loss(accuracy, accuracy);
}

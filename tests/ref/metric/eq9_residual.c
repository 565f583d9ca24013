#include "ref/metrics.h"

double ref_eq9_residual(const ref_table *t) {
  const double p = ref_side(t, 1) / t->total, q = ref_side(t, 0) / t->total;
  const double beta = p * q > 0 ? 2 * p * q * ref_auroc(t) : 0, gamma = (p * p + q * q) / 2;
  return ref_ece(t) - (ref_confidence(t) - beta - gamma);
}

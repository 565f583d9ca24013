#include "ref/metrics.h"

double ref_eq9_rhs(const ref_table *t) {
  return ref_confidence(t) - ref_eq9_beta(t) - ref_eq9_gamma(t);
}

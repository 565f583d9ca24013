#include "ref/metrics.h"

double ref_eq9_gamma(const ref_table *t) {
  const double p = ref_side(t, 1) / t->total, q = ref_side(t, 0) / t->total;
  return (p * p + q * q) / 2;
}

#include "ref/metrics.h"

double ref_eq9_beta(const ref_table *t) {
  const double both = ref_side(t, 1) / t->total * ref_side(t, 0) / t->total;
  return both > 0 ? 2 * both * ref_auroc(t) : 0;
}

#include "ref/metrics.h"

double ref_brier_uncertainty(const ref_table *t) {
  return ref_side(t, 1) * ref_side(t, 0) / (t->total * t->total);
}

#include "ref/metrics.h"

#include <math.h>

double ref_e_aurc(const ref_table *t) {
  const double r = ref_side(t, 0) / t->total;
  return ref_aurc(t) - (r < 1 ? r + (1 - r) * log(1 - r) : 1);
}

#include "ref/metrics.h"

#include <math.h>

double ref_brier_resolution(const ref_table *t) {
  const double accuracy = ref_side(t, 1) / t->total;
  double sum = 0;
  for (size_t m = 0; m < t->bins; m++) {
    const ref_bin b = ref_top_bin(t, m);
    sum += b.weight * pow(b.accuracy - accuracy, 2);
  }
  return sum / t->total;
}

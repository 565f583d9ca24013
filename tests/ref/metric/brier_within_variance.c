#include "ref/metrics.h"

#include <math.h>

double ref_brier_within_variance(const ref_table *t) {
  double sum = 0;
  for (size_t i = 0; i < t->n; i++) {
    const ref_bin b = ref_top_bin(t, ref_bin_of(t->confidence[i], t->bins));
    sum += t->weight[i] * pow(t->confidence[i] - b.confidence, 2);
  }
  return sum / t->total;
}

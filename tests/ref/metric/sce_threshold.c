#include "ref/metrics.h"

#include <math.h>

double ref_sce_threshold(const ref_table *t) {
  double sum = 0;
  for (size_t k = 0; k < t->k; k++) {
    double kept = 0, gaps = 0;
    for (size_t m = 0; m < t->bins; m++) {
      double difference = 0;
      for (size_t i = 0; i < t->n; i++) {
        const double p = t->p[i * t->k + k];
        if (p <= 0.001 || ref_bin_of(p, t->bins) != m) continue;
        kept += t->weight[i];
        difference += t->weight[i] * (p - ((size_t)t->label[i] == k));
      }
      gaps += fabs(difference);
    }
    if (kept > 0) sum += gaps / kept;
  }
  return sum / (double)t->k;
}

#include "ref/metrics.h"

#include <math.h>

double ref_sce_sum(const ref_table *t) {
  double sum = 0;
  for (size_t k = 0; k < t->k; k++)
    for (size_t m = 0; m < t->bins; m++) {
      double difference = 0;
      for (size_t i = 0; i < t->n; i++)
        if (ref_bin_of(t->p[i * t->k + k], t->bins) == m)
          difference += t->weight[i] * (t->p[i * t->k + k] - ((size_t)t->label[i] == k));
      sum += fabs(difference);
    }
  return sum / t->total;
}

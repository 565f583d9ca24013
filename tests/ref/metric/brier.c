#include "ref/metrics.h"

double ref_brier(const ref_table *t) {
  double sum = 0;
  for (size_t i = 0; i < t->n; i++)
    for (size_t j = 0; j < t->k; j++) {
      const double e = t->p[i * t->k + j] - ((int64_t)j == t->label[i]);
      sum += t->weight[i] * e * e;
    }
  return sum / t->total;
}

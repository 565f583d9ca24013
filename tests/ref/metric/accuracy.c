#include "ref/metrics.h"

double ref_accuracy(const ref_table *t) {
  double sum = 0;
  for (size_t i = 0; i < t->n; i++) sum += t->weight[i] * t->hit[i];
  return sum / t->total;
}

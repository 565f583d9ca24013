#include "ref/metrics.h"

double ref_confidence(const ref_table *t) {
  double sum = 0;
  for (size_t i = 0; i < t->n; i++) sum += t->weight[i] * t->confidence[i];
  return sum / t->total;
}

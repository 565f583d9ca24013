#include "ref/metrics.h"

#include <math.h>

double ref_brier_top1(const ref_table *t) {
  double sum = 0;
  for (size_t i = 0; i < t->n; i++) sum += t->weight[i] * pow(t->confidence[i] - t->correct[i], 2);
  return sum / t->total;
}

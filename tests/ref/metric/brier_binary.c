#include "ref/metrics.h"

#include <math.h>

double ref_brier_binary(const ref_table *t) {
  double sum = 0;
  if (!t->positive) return NAN;
  for (size_t i = 0; i < t->n; i++)
    sum += t->weight[i] * pow(t->p[2 * i + 1] - (t->label[i] == 1 ? 1 : 0), 2);
  return sum / t->total;
}

#include "ref/metrics.h"

#include <math.h>

double ref_nll(const ref_table *t) {
  double sum = 0;
  for (size_t i = 0; i < t->n; i++)
    if (t->weight[i] > 0) sum -= t->weight[i] * log(t->p[i * t->k + (size_t)t->label[i]]);
  return sum / t->total;
}

#include "ref/metrics.h"

#include <math.h>

double ref_entropy(const ref_table *t) {
  double sum = 0;
  for (size_t i = 0; i < t->n * t->k; i++)
    if (t->p[i] > 0) sum -= t->weight[i / t->k] * t->p[i] * log(t->p[i]);
  return sum / t->total;
}

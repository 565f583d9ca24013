#include "ref/metrics.h"

#include <math.h>

double ref_auroc_binary(const ref_table *t) {
  double pairs = 0, all = 0;
  if (!t->positive) return NAN;
  for (size_t i = 0; i < t->n; i++)
    for (size_t j = 0; j < t->n; j++) {
      if (t->label[i] != 1 || t->label[j] != 0) continue;
      const double weight = t->weight[i] * t->weight[j], x = t->p[2 * i + 1], y = t->p[2 * j + 1];
      all += weight;
      pairs += weight * (x > y ? 1 : x == y ? 0.5 : 0);
    }
  return pairs / all;
}

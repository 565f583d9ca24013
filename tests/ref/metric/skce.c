#include "ref/metrics.h"

#include <math.h>

double ref_skce(const ref_table *t) {
  double sum = 0, pairs = 0;
  for (size_t i = 0; i < t->n; i++)
    for (size_t j = 0; j < t->n; j++) {
      if (i == j) continue;
      const double both = t->weight[i] * t->weight[j];
      const double kernel = exp(-fabs(t->confidence[i] - t->confidence[j]) / 0.4);
      pairs += both;
      sum +=
          both * (t->confidence[i] - t->correct[i]) * (t->confidence[j] - t->correct[j]) * kernel;
    }
  return pairs > 0 ? sum / pairs : (double)NAN;
}

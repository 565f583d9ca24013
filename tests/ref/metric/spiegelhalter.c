#include "ref/metrics.h"

#include <math.h>

double ref_spiegelhalter(const ref_table *t) {
  double sum = 0, variance = 0;
  for (size_t i = 0; i < t->n; i++) {
    const double c = t->confidence[i];
    sum += t->weight[i] * (t->correct[i] - c) * (1 - 2 * c);
    variance += pow(t->weight[i] * (1 - 2 * c), 2) * c * (1 - c);
  }
  return variance > 0 ? sum / sqrt(variance) : (double)NAN;
}

#include "ref/metrics.h"

#include <math.h>

double ref_kuiper(const ref_table *t) {
  double most = 0, least = 0;
  for (size_t j = 0; j < t->n; j++) { /* threshold at row j's confidence */
    double sum = 0;
    for (size_t i = 0; i < t->n; i++)
      if (t->confidence[i] <= t->confidence[j])
        sum += t->weight[i] * (t->confidence[i] - t->correct[i]);
    most = fmax(most, sum);
    least = fmin(least, sum);
  }
  return (most - least) / t->total;
}

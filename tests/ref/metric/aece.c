#include "ref/metrics.h"

#include <math.h>
#include <stdlib.h>

double ref_aece(const ref_table *t) {
  size_t *const order = calloc(t->n, sizeof *order);
  const size_t count = ref_in_order(t, order), bins = t->bins < count ? t->bins : count;
  double *const difference = calloc(bins, sizeof *difference);
  double before = 0, sum = 0;
  for (size_t r = 0; r < count; r++) {
    const size_t i = order[r];
    const size_t place = (size_t)floor(before * (double)count / t->total + 1e-9);
    size_t m = 0, end = count / bins + (count % bins > 0);
    while (place >= end && m + 1 < bins) m++, end += count / bins + (m < count % bins);
    difference[m] += t->weight[i] * (t->confidence[i] - t->correct[i]);
    before += t->weight[i];
  }
  for (size_t m = 0; m < bins; m++) sum += fabs(difference[m]);
  free(order);
  free(difference);
  return sum / t->total;
}

#include "ref/metrics.h"

#include <math.h>

double ref_fpr95(const ref_table *t) {
  double best = NAN, threshold = -1;
  for (size_t i = 0; i < t->n; i++) {
    const double c = t->confidence[i];
    if (ref_beyond(t, 1, c, 1) / ref_side(t, 1) < 0.95 || c <= threshold) continue;
    threshold = c;
    best = ref_beyond(t, 0, c, 1) / ref_side(t, 0);
  }
  return ref_side(t, 1) > 0 && ref_side(t, 0) > 0 ? best : (double)NAN;
}

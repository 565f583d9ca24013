#include "ref/metrics.h"

double ref_mce(const ref_table *t) {
  double most = 0;
  for (size_t m = 0; m < t->bins; m++) {
    const ref_bin b = ref_top_bin(t, m);
    if (b.weight > 0 && ref_gap(b) > most) most = ref_gap(b);
  }
  return most;
}

#include "ref/metrics.h"

#include <stdlib.h>

double ref_aurc(const ref_table *t) {
  size_t *const order = calloc(t->n, sizeof *order);
  const size_t count = ref_in_order(t, order);
  double area = 0;
  for (size_t r = 0; r < count; r++) { /* coverage: all above the run, and the run up to row r */
    const double c = t->confidence[order[r]];
    const double above = ref_beyond(t, 0, c, 1) + ref_beyond(t, 1, c, 1);
    double wrong = 0, run = 0, part = 0;
    for (size_t s = 0; s < count; s++) {
      if (t->confidence[order[s]] != c) continue;
      run += t->weight[order[s]];
      wrong += t->weight[order[s]] * !t->correct[order[s]];
      if (s <= r) part += t->weight[order[s]];
    }
    const double errors = ref_beyond(t, 0, c, 1) - wrong + wrong / run * part;
    area += t->weight[order[r]] * errors / (above - run + part);
  }
  free(order);
  return area / t->total;
}

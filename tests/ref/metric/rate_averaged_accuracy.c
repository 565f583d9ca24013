#include "ref/metrics.h"

#include <stdlib.h>

/* The accuracy of declaring the rows above a threshold correct, integrated by trapezoids over the
 * share of rows above it, as the threshold falls from run to run. */
double ref_rate_averaged_accuracy(const ref_table *t) {
  size_t *const order = calloc(t->n, sizeof *order);
  double area = 0, rate = 0, accuracy = ref_side(t, 0) / t->total;
  for (size_t r = ref_in_order(t, order); r-- > 0;) {
    const double c = t->confidence[order[r]];
    const double hits = ref_beyond(t, 1, c, 1), misses = ref_beyond(t, 0, c, 1);
    const double next = (hits + misses) / t->total;
    const double then = (hits + ref_side(t, 0) - misses) / t->total;
    area += (next - rate) * (accuracy + then) / 2; /* 0 for the other rows of a run */
    rate = next;
    accuracy = then;
  }
  free(order);
  return area;
}

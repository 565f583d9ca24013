#include "ref/metrics.h"

#include <stdlib.h>

double ref_e_aurc_finite(const ref_table *t) {
  size_t *const order = calloc(t->n, sizeof *order);
  double best = 0, covered = 0, errors = 0;
  for (size_t i = 0; i < t->n; i++) covered += t->correct[i] ? t->weight[i] : 0;
  for (size_t r = ref_in_order(t, order); r-- > 0;) { /* the wrong rows, after all correct ones */
    if (t->correct[order[r]]) continue;
    errors += t->weight[order[r]];
    covered += t->weight[order[r]];
    best += t->weight[order[r]] * errors / covered;
  }
  free(order);
  return ref_aurc(t) - best / t->total;
}

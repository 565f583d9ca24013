#include "ref/metrics.h"

double ref_auroc(const ref_table *t) {
  double pairs = 0;
  for (size_t i = 0; i < t->n; i++)
    for (size_t j = 0; j < t->n; j++)
      if (t->correct[i] && !t->correct[j])
        pairs += t->weight[i] * t->weight[j] *
                 (t->confidence[i] > t->confidence[j]    ? 1
                  : t->confidence[i] == t->confidence[j] ? 0.5
                                                         : 0);
  return pairs / (ref_side(t, 1) * ref_side(t, 0));
}

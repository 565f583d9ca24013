#include "ref/metrics.h"

double ref_nll_top1(const ref_table *t) {
  double sum = 0;
  for (size_t i = 0; i < t->n; i++)
    sum += t->weight[i] * ref_log_loss(t->confidence[i], t->correct[i]);
  return sum / t->total;
}

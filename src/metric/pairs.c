/* pairs.c -- the Mann-Whitney statistic of confidence: correct against wrong rows. */
#include "metric/pairs.h"

double crd__metric_ordered_pairs(const crd__metric_ranking *ranking) {
  double pairs = 0, below = 0;
  for (crd__metric_ties t = crd__metric_ties_lowest(ranking); t.count;
       t = crd__metric_ties_next(ranking, t)) {
    pairs += t.right * (below + t.wrong / 2);
    below += t.wrong;
  }
  return pairs;
}

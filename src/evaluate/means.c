/* means.c -- mean confidence and accuracy of a result, from its bins. */
#include "evaluate/means.h"

crd__evaluate_means crd__evaluate_bin_means(const crd_result *r) {
  crd__evaluate_means m = { 0, 0 };
  double weight = 0;
  for (size_t i = 0; i < r->bin_count; i++) {
    if (!(r->bins[i].weight > 0)) continue;
    weight += r->bins[i].weight;
    m.confidence += r->bins[i].weight * r->bins[i].confidence;
    m.accuracy += r->bins[i].weight * r->bins[i].accuracy;
  }
  return (crd__evaluate_means){ m.confidence / weight, m.accuracy / weight };
}

/*
 * eq9.c -- the quantities of eq. 8 and 9 of Singh et al. 2021.
 *
 * An error detector that declares the most confident share q of the rows correct has an accuracy,
 * averaged over q, of
 *   integral over q from 0 to 1 of accuracy(q) = beta + gamma.
 * beta / 2 is the weight of correctly ordered pairs of rows, which is defined even where the auroc
 * is not.
 */
#include "metric/eq9.h"
#include "metric/pairs.h"
#include "metric/top_bins.h"

crd__metric_eq8 crd__metric_eq8_of(const crd__metric_facts *facts) {
  const crd__metric_ties all = crd__metric_ties_total(facts->ranking);
  const double right = all.right / facts->weight, wrong = all.wrong / facts->weight;
  const double pairs = crd__metric_ordered_pairs(facts->ranking) / facts->weight / facts->weight;
  return (crd__metric_eq8){ .beta = 2 * pairs, .gamma = (right * right + wrong * wrong) / 2 };
}

double crd__metric_eq9_right_side(const crd__metric_facts *facts) {
  const crd__metric_eq8 parts = crd__metric_eq8_of(facts);
  double confidence = 0;
  for (size_t m = 0; m < facts->shape.bins; m++) {
    const crd__metric_top_bin bin = crd__metric_top_bin_at(facts->cells, m);
    confidence += bin.weight * bin.confidence;
  }
  return confidence / facts->weight - (parts.beta + parts.gamma);
}

/*
 * pairs.c -- pairs of a correct and a wrong row in the order they should have (Mann-Whitney).
 *
 * With pi the accuracy and r the share of ordered pairs (auroc), calling the most confident share q
 * of the rows "right" is correct for
 *   integral over q from 0 to 1 of accuracy(q) = 2 pi (1 - pi) r + (pi^2 + (1 - pi)^2) / 2
 * of the rows on average. pi (1 - pi) r is the weight of ordered pairs, which exists even when r
 * does not.
 */
#include "metric/pairs.h"

double crd__ordered_pairs(const crd__ranking *ranking) {
  double pairs = 0, below = 0;
  for (crd__ties t = crd__ties_lowest(ranking); t.count; t = crd__ties_next(ranking, t)) {
    pairs += t.right * (below + t.wrong / 2);
    below += t.wrong;
  }
  return pairs;
}

double crd__rate_averaged_accuracy(const crd__facts *facts) {
  const crd__ties all = crd__ties_total(facts->ranking);
  const double right = all.right / facts->weight, wrong = all.wrong / facts->weight;
  const double pairs = crd__ordered_pairs(facts->ranking) / facts->weight / facts->weight;
  return 2 * pairs + (right * right + wrong * wrong) / 2;
}

/*
 * mass_bins.c -- equal-mass bins along the ranking.
 *
 * Rows sorted by confidence (ties by row index) are split like numpy.array_split: the first N mod M
 * bins hold one row more. With weights, a row belongs to the bin that contains the cumulative
 * weight before it, in units of the mean weight; rows of weight 0 are ignored.
 */
#include "metric/mass_bins.h"
#include "math/bins.h"

crd__metric_mass_bin crd__metric_mass_next(const crd__metric_facts *facts,
                                           crd__metric_mass_bin last) {
  const crd__metric_ranking *const r = facts->ranking;
  const double rows = (double)last.rows;
  crd__metric_mass_bin bin = { .next = last.next, .rows = last.rows, .before = last.before };
  size_t index = 0;
  for (; bin.next < r->count; bin.next++) {
    const double weight = crd__metric_ranking_weight(r, bin.next);
    if (weight == 0) continue;
    const double position = bin.before / facts->weight * rows;
    const size_t here = crd__math_rank_bin(position, bin.rows, facts->shape.bins);
    if (bin.weight > 0 && here != index) break;
    const bool correct = crd__metric_ranking_correct(r, bin.next);
    index = here;
    bin.weight += weight;
    bin.right += correct ? weight : 0;
    bin.gap += weight * (crd__metric_ranking_confidence(r, bin.next) - correct);
    bin.before += weight;
  }
  bin.size = bin.weight * rows / facts->weight;
  return bin;
}

crd__metric_mass_bin crd__metric_mass_first(const crd__metric_facts *facts) {
  return crd__metric_mass_next(
      facts, (crd__metric_mass_bin){ .rows = crd__metric_ranking_weighty(facts->ranking) });
}

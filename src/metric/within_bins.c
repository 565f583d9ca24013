/*
 * within_bins.c -- how confidence and correctness vary within equal-width bins of confidence.
 *
 * A bin is a stretch of the ranking, walked twice: once for the means, once for the distances from
 * them, so that no digits cancel.
 */
#include "metric/within_bins.h"
#include "math/bins.h"

static size_t bin_of(const crd__facts *facts, size_t index) {
  return crd__bin_index(crd__ranking_confidence(facts->ranking, index), facts->shape.bins);
}

/* The row behind the bin that begins at `from`. */
static size_t bin_end(const crd__facts *facts, size_t from) {
  const size_t bin = bin_of(facts, from);
  size_t to = from + 1;
  while (to < facts->ranking->count && bin_of(facts, to) == bin) to++;
  return to;
}

static void add_bin(const crd__ranking *r, size_t from, size_t to, crd__within *sum) {
  double weight = 0, confidence = 0, right = 0;
  for (size_t i = from; i < to; i++) {
    const double w = crd__ranking_weight(r, i);
    weight += w;
    confidence += w * crd__ranking_confidence(r, i);
    right += w * crd__ranking_correct(r, i);
  }
  if (!(weight > 0)) return;
  for (size_t i = from; i < to; i++) {
    const double distance = crd__ranking_confidence(r, i) - confidence / weight;
    const double part = crd__ranking_weight(r, i) * distance;
    sum->variance += part * distance;
    sum->covariance += part * (crd__ranking_correct(r, i) - right / weight);
  }
}

crd__within crd__within_bins(const crd__facts *facts) {
  crd__within sum = { 0 };
  for (size_t from = 0, to; from < facts->ranking->count; from = to) {
    to = bin_end(facts, from);
    add_bin(facts->ranking, from, to, &sum);
  }
  return (crd__within){ sum.variance / facts->weight, sum.covariance / facts->weight };
}

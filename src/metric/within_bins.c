/*
 * within_bins.c -- variance and covariance within equal-width bins of confidence.
 *
 * A bin is a contiguous part of the ranking. Variances take two passes over it, the first for the
 * means, so that no digits cancel.
 */
#include "metric/within_bins.h"
#include "math/bins.h"

/* The rows from .. to-1 of one bin, and their sums. */
typedef struct {
  size_t from, to;
  double weight, confidence, right;
} stretch;

/* Returns the bin that starts at `from`; to = from at the end of the ranking. */
static stretch stretch_at(const crd__metric_ranking *r, size_t bins, size_t from) {
  stretch s = { .from = from, .to = from };
  size_t bin = bins;
  for (; s.to < r->count; s.to++) {
    const double w = crd__metric_ranking_weight(r, s.to),
                 c = crd__metric_ranking_confidence(r, s.to);
    const size_t mine = crd__math_bin_index(c, bins);
    if (s.to > from && mine != bin) break;
    bin = mine;
    s.weight += w;
    s.confidence += w * c;
    s.right += w * crd__metric_ranking_correct(r, s.to);
  }
  return s;
}

static void add_distances(const crd__metric_ranking *r, const stretch *s, crd__metric_within *sum) {
  if (!(s->weight > 0)) return;
  for (size_t i = s->from; i < s->to; i++) {
    const double distance = crd__metric_ranking_confidence(r, i) - s->confidence / s->weight;
    const double part = crd__metric_ranking_weight(r, i) * distance;
    sum->variance += part * distance;
    sum->covariance += part * (crd__metric_ranking_correct(r, i) - s->right / s->weight);
  }
}

crd__metric_within crd__metric_within_bins(const crd__metric_facts *facts) {
  const crd__metric_ranking *const r = facts->ranking;
  const size_t bins = facts->shape.bins;
  crd__metric_within sum = { 0 };
  for (stretch s = stretch_at(r, bins, 0); s.to > s.from; s = stretch_at(r, bins, s.to))
    add_distances(r, &s, &sum);
  return (crd__metric_within){ sum.variance / facts->weight, sum.covariance / facts->weight };
}

double crd__metric_overconfident_bins(const crd__metric_ranking *ranking, size_t bins) {
  double count = 0;
  for (stretch s = stretch_at(ranking, bins, 0); s.to > s.from; s = stretch_at(ranking, bins, s.to))
    count += s.weight > 0 && s.right <= s.confidence;
  return count;
}

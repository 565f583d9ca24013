/*
 * nll_within.c -- the mean of loss(c, a) - loss(C_m, a), C_m the mean confidence of the row's bin:
 * the fourth term of nll-top1 (nll_reliability.c).
 *
 * C_m comes from the bins that the other terms read, so that all four add up; the rows of a bin are
 * adjacent in the ranking.
 */
#include "math/bins.h"
#include "metric/log_loss.h"

static crd__metric_answer nll_within_finish(const crd__metric_facts *facts) {
  const crd__metric_ranking *const r = facts->ranking;
  size_t last = facts->shape.bins; /* none */
  double sum = 0, loss[2] = { 0 }; /* of the bin's mean, for wrong and correct rows */
  for (size_t i = 0; i < r->count; i++) {
    const double c = crd__metric_ranking_confidence(r, i),
                 weight = crd__metric_ranking_weight(r, i);
    const bool right = crd__metric_ranking_correct(r, i);
    const size_t bin = crd__math_bin_index(c, facts->shape.bins);
    if (weight == 0) continue;
    if (bin != last) {
      const double mean = crd__metric_top_bin_at(facts->cells, bin).confidence;
      for (int k = 0; k < 2; k++) loss[k] = crd__metric_log_loss(mean, k);
      last = bin;
    }
    sum += weight * (crd__metric_log_loss(c, right) - loss[right]);
  }
  return crd__metric_answer_value(sum / facts->weight);
}

const crd__metric crd__metric_nll_within = {
  .info = { .name = "nll-within",
            .title = "NLL within bins",
            .summary = "within-bin term of nll-top1",
            .meaning = "The loss (or, where negative, the gain) in nll-top1 because confidences "
                       "differ within bins: small for narrow bins, except where a bin holds "
                       "confidences near 0 or 1.",
            .reference = "Kull, Flach 2015, Novel decompositions of proper scoring rules",
            .low = -INFINITY,
            .high = INFINITY,
            .direction = CRD_LOWER_IS_BETTER },
  .tally = &crd__metric_top_bins,
  .ranked = true,
  .finish = nll_within_finish,
};

/*
 * nll_reliability.c -- the first of the four terms of nll-top1 over equal-width bins:
 *   REL - RES + UNC + WIT,   REL = sum_m (n_m / N) KL(A_m || C_m).
 *
 * KL is the divergence of Bernoulli distributions. The sum is exact, as for the five terms of
 * brier-top1 (brier_reliability.c): what confidences do within bins is in the fourth term, which
 * decompositions of forecasts with few distinct values do without.
 */
#include "metric/log_loss.h"

static crd__metric_answer nll_reliability_finish(const crd__metric_facts *facts) {
  return crd__metric_answer_value(crd__metric_top_divergence(facts, false));
}

const crd__metric crd__metric_nll_reliability = {
  .info = { .name = "nll-reliability",
            .summary = "nll-top1, its part for gaps of bins",
            .meaning = "What the gaps between confidence and accuracy of bins cost in nll-top1. "
                       "nll-top1 is reliability - resolution + uncertainty + within.",
            .reference = "Broecker 2009, Reliability, sufficiency, and the decomposition of proper "
                         "scores; Kull, Flach 2015, Novel decompositions of proper scoring rules",
            .low = 0,
            .high = INFINITY,
            .direction = CRD_LOWER_IS_BETTER },
  .tally = &crd__metric_top_bins,
  .finish = nll_reliability_finish,
};

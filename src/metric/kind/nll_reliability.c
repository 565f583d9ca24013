/*
 * nll_reliability.c -- reliability, the first of four terms of nll-top1 over equal-width bins:
 *   REL - RES + UNC + WIT,   REL = sum_m (n_m / N) KL(A_m || C_m).
 *
 * KL is the divergence of Bernoulli distributions. The sum is exact, like that of the five terms of
 * brier-top1 (brier_reliability.c): the fourth term accounts for variation within bins, which
 * forecasts with few distinct values do not have.
 */
#include "metric/log_loss.h"

static crd__metric_answer nll_reliability_finish(const crd__metric_facts *facts) {
  return crd__metric_answer_value(crd__metric_top_divergence(facts, false));
}

const crd__metric crd__metric_nll_reliability = {
  .info = { .name = "nll-reliability",
            .title = "NLL reliability",
            .summary = "reliability term of nll-top1: divergence of bins",
            .meaning = "The mean KL divergence between accuracy and confidence of bins. nll-top1 "
                       "is reliability - resolution + uncertainty + within.",
            .reference = "Broecker 2009, Reliability, sufficiency, and the decomposition of proper "
                         "scores; Kull, Flach 2015, Novel decompositions of proper scoring rules",
            .low = 0,
            .high = INFINITY,
            .direction = CRD_LOWER_IS_BETTER },
  .tally = &crd__metric_top_bins,
  .finish = nll_reliability_finish,
};

/*
 * brier_reliability.c -- reliability, the first of five terms of brier-top1 over equal-width bins:
 *   REL - RES + UNC + WBV - WBC,   REL = sum_m (n_m / N) (C_m - A_m)^2.
 *
 * Murphy's three terms add up to the score only if all confidences of a bin are equal; the two
 * terms of Stephenson et al. (brier-within-variance and brier-within-covariance) account for
 * variation within bins.
 */
#include "metric/top_bins.h"

static crd__metric_answer brier_reliability_finish(const crd__metric_facts *facts) {
  return crd__metric_answer_value(crd__metric_top_squares(facts));
}

const crd__metric crd__metric_brier_reliability = {
  .info = { .name = "brier-reliability",
            .title = "Brier reliability",
            .summary = "reliability term of brier-top1: the squared gaps of bins",
            .meaning = "The mean squared gap between confidence and accuracy of bins, the square "
                       "of rmsce. brier-top1 is reliability - resolution + uncertainty + "
                       "within-variance - within-covariance.",
            .reference = "Murphy 1973, A new vector partition of the probability score",
            .low = 0,
            .high = 1,
            .direction = CRD_LOWER_IS_BETTER },
  .tally = &crd__metric_top_bins,
  .finish = brier_reliability_finish,
};

/*
 * brier_reliability.c -- the first of the five terms of brier-top1 over equal-width bins:
 *   REL - RES + UNC + WBV - WBC,   REL = sum_m (n_m / N) (C_m - A_m)^2.
 *
 * Murphy's three terms alone add up only when all confidences of a bin are equal; what confidences
 * do within bins is in the two terms of Stephenson et al. (brier-within-variance and
 * brier-within-covariance).
 */
#include "metric/top_bins.h"

static crd__metric_answer brier_reliability_finish(const crd__metric_facts *facts) {
  return crd__metric_answer_value(crd__metric_top_squares(facts));
}

const crd__metric crd__metric_brier_reliability = {
  .info = { .name = "brier-reliability",
            .summary = "brier-top1, its part for gaps of bins",
            .meaning = "What the squared gaps between confidence and accuracy cost in brier-top1: "
                       "the square of rmsce. brier-top1 is reliability - resolution + uncertainty "
                       "+ within-variance - within-covariance.",
            .reference = "Murphy 1973, A new vector partition of the probability score",
            .low = 0,
            .high = 1,
            .direction = CRD_LOWER_IS_BETTER },
  .tally = &crd__metric_top_bins,
  .finish = brier_reliability_finish,
};

/*
 * brier_within_covariance.c -- within-bin covariance, the fifth term of brier-top1
 * (brier_reliability.c): twice the mean of (a - A_m)(c - C_m), A_m and C_m the means of the row's
 * bin.
 */
#include "metric/within_bins.h"

static crd__metric_answer brier_within_covariance_finish(const crd__metric_facts *facts) {
  return crd__metric_answer_value(2 * crd__metric_within_bins(facts).covariance);
}

const crd__metric crd__metric_brier_within_covariance = {
  .info = { .name = "brier-within-covariance",
            .title = "Brier within-bin covariance",
            .summary = "within-bin covariance term of brier-top1",
            .meaning = "Twice the covariance of confidence and correctness within bins: a gain in "
                       "brier-top1 that Murphy's three terms miss.",
            .reference = "Stephenson, Coelho, Jolliffe 2008, Two extra components in the Brier "
                         "score decomposition",
            .low = -0.5,
            .high = 0.5,
            .direction = CRD_HIGHER_IS_BETTER },
  .ranked = true,
  .finish = brier_within_covariance_finish,
};

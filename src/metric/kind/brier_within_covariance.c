/*
 * brier_within_covariance.c -- twice the mean of (a - A_m)(c - C_m), means of the row's bin: the
 * fifth term of brier-top1 (brier_reliability.c).
 */
#include "metric/within_bins.h"

static crd__metric_answer brier_within_covariance_finish(const crd__metric_facts *facts) {
  return crd__metric_answer_value(2 * crd__metric_within_bins(facts).covariance);
}

const crd__metric crd__metric_brier_within_covariance = {
  .info = { .name = "brier-within-covariance",
            .summary = "brier-top1, its gain by confidences within bins",
            .meaning = "Whether confidence tells right from wrong also inside bins: what "
                       "brier-top1 gains by it, which Murphy's three terms miss.",
            .reference = "Stephenson, Coelho, Jolliffe 2008, Two extra components in the Brier "
                         "score decomposition",
            .low = -0.5,
            .high = 0.5,
            .direction = CRD_HIGHER_IS_BETTER },
  .ranked = true,
  .finish = brier_within_covariance_finish,
};

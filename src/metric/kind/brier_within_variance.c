/*
 * brier_within_variance.c -- within-bin variance, the fourth term of brier-top1
 * (brier_reliability.c): the mean of (c - C_m)^2, C_m the mean confidence of the row's bin.
 */
#include "metric/within_bins.h"

static crd__metric_answer brier_within_variance_finish(const crd__metric_facts *facts) {
  return crd__metric_answer_value(crd__metric_within_bins(facts).variance);
}

const crd__metric crd__metric_brier_within_variance = {
  .info = { .name = "brier-within-variance",
            .title = "Brier within-bin variance",
            .summary = "within-bin variance term of brier-top1",
            .meaning = "The variance of confidences within bins: small for narrow bins, and "
                       "missing from Murphy's three terms.",
            .reference = "Stephenson, Coelho, Jolliffe 2008, Two extra components in the Brier "
                         "score decomposition",
            .low = 0,
            .high = 0.25,
            .direction = CRD_NEITHER_IS_BETTER },
  .ranked = true,
  .finish = brier_within_variance_finish,
};

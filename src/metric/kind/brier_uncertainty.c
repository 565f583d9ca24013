/*
 * brier_uncertainty.c -- uncertainty, the third term of brier-top1 (brier_reliability.c):
 *   A (1 - A), A the overall accuracy.
 */
#include "metric/top_bins.h"

static crd__metric_answer brier_uncertainty_finish(const crd__metric_facts *facts) {
  const double accuracy = crd__metric_top_accuracy(facts);
  return crd__metric_answer_value(accuracy * (1 - accuracy));
}

const crd__metric crd__metric_brier_uncertainty = {
  .info = { .name = "brier-uncertainty",
            .title = "Brier uncertainty",
            .summary = "uncertainty term of brier-top1: from the accuracy alone",
            .meaning = "The brier-top1 of a model whose confidence is the accuracy on every row: "
                       "it does not depend on calibration.",
            .reference = "Murphy 1973, A new vector partition of the probability score",
            .low = 0,
            .high = 0.25,
            .direction = CRD_NEITHER_IS_BETTER },
  .tally = &crd__metric_top_bins,
  .finish = brier_uncertainty_finish,
};

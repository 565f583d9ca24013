/*
 * brier_uncertainty.c -- A (1 - A), A the accuracy of all rows: the third term of brier-top1
 * (brier_reliability.c).
 */
#include "metric/top_bins.h"

static crd__answer finish(const crd__facts *facts) {
  const double accuracy = crd__top_accuracy(facts);
  return crd__is(accuracy * (1 - accuracy));
}

const crd__metric crd_metric_brier_uncertainty = {
  .info = { .name = "brier-uncertainty",
            .summary = "brier-top1, its part for the accuracy alone",
            .meaning = "What brier-top1 would be if every row had the accuracy as its confidence: "
                       "it says nothing about calibration.",
            .reference = "Murphy 1973, A new vector partition of the probability score",
            .low = 0,
            .high = 0.25,
            .direction = CRD_NEITHER_IS_BETTER },
  .tally = &crd__top_bins,
  .finish = finish,
};

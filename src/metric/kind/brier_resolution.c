/*
 * brier_resolution.c -- resolution, the second term of brier-top1 (brier_reliability.c):
 *   sum_m (n_m / N) (A_m - A)^2, A the overall accuracy.
 */
#include "metric/top_bins.h"

static crd__metric_answer brier_resolution_finish(const crd__metric_facts *facts) {
  const double mean = crd__metric_top_accuracy(facts);
  double sum = 0;
  for (size_t m = 0; m < facts->shape.bins; m++) {
    const crd__metric_top_bin bin = crd__metric_top_bin_at(facts->cells, m);
    const double distance = bin.accuracy - mean;
    sum += bin.weight * (distance * distance);
  }
  return crd__metric_answer_value(sum / facts->weight);
}

const crd__metric crd__metric_brier_resolution = {
  .info = { .name = "brier-resolution",
            .title = "Brier resolution",
            .summary = "resolution term of brier-top1: how much bins differ",
            .meaning = "The variance of the accuracies of bins around the overall accuracy: the "
                       "gain in brier-top1 because confidence separates easy rows from hard ones.",
            .reference = "Murphy 1973, A new vector partition of the probability score",
            .low = 0,
            .high = 0.25,
            .direction = CRD_HIGHER_IS_BETTER },
  .tally = &crd__metric_top_bins,
  .finish = brier_resolution_finish,
};

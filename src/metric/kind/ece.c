/*
 * ece.c -- expected calibration error: sum_m (n_m / N) |A_m - C_m|, equal-width bins.
 *
 * Computed as (1/N) sum_m |sum over the bin of (a - c)|: no division by a bin's size, so empty bins
 * need no special case.
 */
#include "metric/top_bins.h"

#include <math.h>

static crd__metric_answer ece_finish(const crd__metric_facts *facts) {
  return crd__metric_answer_value(crd__metric_top_gaps(facts));
}

/* Returns the expected ece of a calibrated model: in a bin of n rows A is approximately normal with
 * variance A (1 - A) / n, so E|A - C| is sqrt(2 A (1 - A) / (pi n)). */
static double ece_noise_floor(const crd__metric_facts *facts) {
  static const double pi = 3.14159265358979323846;
  double error = 0;
  for (size_t m = 0; m < facts->shape.bins; m++) {
    const crd__metric_top_bin bin = crd__metric_top_bin_at(facts->cells, m);
    const double variance = bin.accuracy * (1 - bin.accuracy);
    if (bin.weight > 0) error += bin.weight * sqrt(2 * variance / (pi * (double)bin.rows));
  }
  return error / facts->weight;
}

const crd__metric crd__metric_ece = {
  .info = { .name = "ece",
            .title = "ECE",
            .summary = "expected calibration error, equal-width bins",
            .meaning = "The average distance between confidence and accuracy within bins of "
                       "confidence. Even a perfectly calibrated model shows a value above 0 on a "
                       "finite sample.",
            .reference = "Naeini, Cooper, Hauskrecht 2015; Guo et al. 2017, On calibration of "
                         "modern neural networks",
            .low = 0,
            .high = 1,
            .direction = CRD_LOWER_IS_BETTER,
            .standard = 1 },
  .tally = &crd__metric_top_bins,
  .finish = ece_finish,
  .noise_floor = ece_noise_floor,
};

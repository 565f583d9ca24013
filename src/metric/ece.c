/*
 * ece.c -- expected calibration error: sum_m (n_m / N) |A_m - C_m|, equal-width bins.
 *
 * Computed as (1/N) sum_m |sum over the bin of (a - c)|: no division by a bin's size, so empty bins
 * vanish by themselves.
 */
#include "metric/top_bins.h"

static crd__answer finish(const crd__facts *facts) {
  double error = 0;
  for (size_t m = 0; m < facts->shape.bins; m++) error += crd__top_bin_at(facts->cells, m).gap;
  return crd__is(error / facts->weight);
}

const crd__metric crd_metric_ece = {
  .info = { .name = "ece",
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
  .tally = &crd__top_bins,
  .finish = finish,
};

/*
 * mce.c -- maximum calibration error: max_m |A_m - C_m| over the bins that are not empty.
 */
#include "metric/top_bins.h"

#include <math.h>

static crd__metric_answer mce_finish(const crd__metric_facts *facts) {
  double most = 0;
  for (size_t m = 0; m < facts->shape.bins; m++) {
    const crd__metric_top_bin bin = crd__metric_top_bin_at(facts->cells, m);
    if (bin.weight > 0) most = fmax(most, bin.gap / bin.weight);
  }
  return crd__metric_answer_value(most);
}

const crd__metric crd__metric_mce = {
  .info = { .name = "mce",
            .title = "MCE",
            .summary = "maximum calibration error: the largest gap of any bin",
            .meaning = "The largest distance between confidence and accuracy among the bins that "
                       "hold rows. A bin of one or two rows often decides it.",
            .reference = "Naeini, Cooper, Hauskrecht 2015, Obtaining well calibrated probabilities "
                         "using Bayesian binning",
            .low = 0,
            .high = 1,
            .direction = CRD_LOWER_IS_BETTER },
  .tally = &crd__metric_top_bins,
  .finish = mce_finish,
};

/*
 * oe.c -- overconfidence error: sum_m (n_m / N) C_m max(C_m - A_m, 0).
 */
#include "metric/top_bins.h"

static crd__metric_answer oe_finish(const crd__metric_facts *facts) {
  double error = 0;
  for (size_t m = 0; m < facts->shape.bins; m++) {
    const crd__metric_top_bin bin = crd__metric_top_bin_at(facts->cells, m);
    if (bin.confidence > bin.accuracy) error += bin.confidence * bin.gap;
  }
  return crd__metric_answer_value(error / facts->weight);
}

const crd__metric crd__metric_oe = {
  .info = { .name = "oe",
            .title = "OE",
            .summary = "overconfidence error",
            .meaning = "The gaps of bins where confidence exceeds accuracy, weighted by the "
                       "confidence: confident mistakes cost the most.",
            .reference = "Thulasidasan et al. 2019, On mixup training",
            .low = 0,
            .high = 1,
            .direction = CRD_LOWER_IS_BETTER },
  .tally = &crd__metric_top_bins,
  .finish = oe_finish,
};

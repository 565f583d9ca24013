/*
 * ue.c -- underconfidence error: sum_m (n_m / N) C_m max(A_m - C_m, 0), the mirror image of oe.
 */
#include "metric/top_bins.h"

static crd__metric_answer ue_finish(const crd__metric_facts *facts) {
  double error = 0;
  for (size_t m = 0; m < facts->shape.bins; m++) {
    const crd__metric_top_bin bin = crd__metric_top_bin_at(facts->cells, m);
    if (bin.accuracy > bin.confidence) error += bin.confidence * bin.gap;
  }
  return crd__metric_answer_value(error / facts->weight);
}

const crd__metric crd__metric_ue = {
  .info = { .name = "ue",
            .title = "UE",
            .summary = "underconfidence error",
            .meaning = "The gaps of bins where accuracy exceeds confidence, weighted by the "
                       "confidence: the mirror image of oe.",
            .reference = "after Thulasidasan et al. 2019, On mixup training",
            .low = 0,
            .high = 1,
            .direction = CRD_LOWER_IS_BETTER },
  .tally = &crd__metric_top_bins,
  .finish = ue_finish,
};

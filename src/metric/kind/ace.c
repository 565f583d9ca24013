/*
 * ace.c -- average calibration error: the mean of |A_m - C_m| over the bins that are not empty.
 *
 * Each bin counts the same, however many rows it holds. (Elsewhere "ACE" may mean the *adaptive*
 * calibration error with equal-mass bins, here `aece`.)
 */
#include "metric/top_bins.h"

static crd__metric_answer ace_finish(const crd__metric_facts *facts) {
  double error = 0;
  size_t filled = 0;
  for (size_t m = 0; m < facts->shape.bins; m++) {
    const crd__metric_top_bin bin = crd__metric_top_bin_at(facts->cells, m);
    if (!(bin.weight > 0)) continue;
    error += bin.gap / bin.weight;
    filled++;
  }
  return crd__metric_answer_value(error / (double)filled);
}

const crd__metric crd__metric_ace = {
  .info = { .name = "ace",
            .title = "ACE",
            .summary = "average calibration error: all non-empty bins weigh the same",
            .meaning = "Like ece, but a bin with few rows weighs as much as one with many.",
            .reference = "Neumann, Zisserman, Vedaldi 2018, Relaxed softmax",
            .low = 0,
            .high = 1,
            .direction = CRD_LOWER_IS_BETTER },
  .tally = &crd__metric_top_bins,
  .finish = ace_finish,
};

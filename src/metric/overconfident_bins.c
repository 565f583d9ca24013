/*
 * overconfident_bins.c -- among the bins that are not empty, the share with A_m <= C_m.
 */
#include "metric/top_bins.h"

static crd__answer finish(const crd__facts *facts) {
  size_t over = 0, filled = 0;
  for (size_t m = 0; m < facts->shape.bins; m++) {
    const crd__top_bin bin = crd__top_bin_at(facts->cells, m);
    filled += bin.weight > 0;
    over += bin.weight > 0 && bin.accuracy <= bin.confidence;
  }
  return crd__is((double)over / (double)filled);
}

const crd__metric crd_metric_overconfident_bins = {
  .info = { .name = "overconfident-bins",
            .summary = "share of filled bins that are too confident",
            .meaning = "Where the reliability diagram lies at or below its diagonal; each bin "
                       "counts the same, however few rows it holds. 1 is needed for ece to be the "
                       "mean confidence minus the accuracy.",
            .reference = "Singh et al. 2021, On the dark side of calibration for modern neural "
                         "networks",
            .low = 0,
            .high = 1,
            .direction = CRD_NEITHER_IS_BETTER },
  .tally = &crd__top_bins,
  .finish = finish,
};

/*
 * over_part.c -- overconfident part of ece: sum_m (n_m / N) max(C_m - A_m, 0): ece is over-part +
 * under-part, and mean confidence minus accuracy is over-part - under-part.
 */
#include "metric/top_bins.h"

static crd__metric_answer over_part_finish(const crd__metric_facts *facts) {
  return crd__metric_answer_value(crd__metric_top_side(facts, true));
}

const crd__metric crd__metric_over_part = {
  .info = { .name = "over-part",
            .title = "ECE (over)",
            .summary = "part of ece from overconfident bins",
            .meaning = "The part of ece where confidence exceeds accuracy; the rest is "
                       "under-part.",
            .reference = "Singh et al. 2021, On the dark side of calibration for modern neural "
                         "networks, eq. 5-7",
            .low = 0,
            .high = 1,
            .direction = CRD_LOWER_IS_BETTER },
  .tally = &crd__metric_top_bins,
  .finish = over_part_finish,
};

/*
 * under_part.c -- underconfident part of ece: sum_m (n_m / N) max(A_m - C_m, 0): ece is over-part +
 * under-part, and mean confidence minus accuracy is over-part - under-part.
 */
#include "metric/top_bins.h"

static crd__metric_answer under_part_finish(const crd__metric_facts *facts) {
  return crd__metric_answer_value(crd__metric_top_side(facts, false));
}

const crd__metric crd__metric_under_part = {
  .info = { .name = "under-part",
            .title = "ECE (under)",
            .summary = "part of ece from underconfident bins",
            .meaning = "The part of ece where accuracy exceeds confidence; the rest is "
                       "over-part. Only where it is 0 does ece equal mean confidence minus "
                       "accuracy, as eq. 7 claims.",
            .reference = "Singh et al. 2021, On the dark side of calibration for modern neural "
                         "networks, eq. 5-7",
            .low = 0,
            .high = 1,
            .direction = CRD_LOWER_IS_BETTER },
  .tally = &crd__metric_top_bins,
  .finish = under_part_finish,
};

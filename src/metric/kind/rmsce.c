/*
 * rmsce.c -- root mean square calibration error: sqrt(sum_m (n_m / N) (A_m - C_m)^2).
 */
#include "metric/top_bins.h"

#include <math.h>

static crd__metric_answer rmsce_finish(const crd__metric_facts *facts) {
  return crd__metric_answer_value(sqrt(crd__metric_top_squares(facts)));
}

const crd__metric crd__metric_rmsce = {
  .info = { .name = "rmsce",
            .title = "RMSCE",
            .summary = "root mean square calibration error",
            .meaning = "Like ece with squared gaps: large gaps count for more.",
            .reference = "Nguyen, O'Connor 2015; Hendrycks, Mazeika, Dietterich 2019",
            .low = 0,
            .high = 1,
            .direction = CRD_LOWER_IS_BETTER },
  .tally = &crd__metric_top_bins,
  .finish = rmsce_finish,
};

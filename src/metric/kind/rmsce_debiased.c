/*
 * rmsce_debiased.c -- debiased root mean square calibration error:
 *   sqrt(max(0, sum_m (n_m / N) [(C_m - A_m)^2 - A_m (1 - A_m) / (n_m - 1)])), bins of equal mass,
 * where bins of fewer than two rows count 0. With weights, n_m is the bin's weight in units of the
 * mean weight of rows of positive weight.
 */
#include "metric/mass_bins.h"

#include <math.h>

static crd__metric_answer rmsce_debiased_finish(const crd__metric_facts *facts) {
  static const double two = 2 - 1e-9; /* two rows of equal weight, up to rounding */
  double error = 0;
  for (crd__metric_mass_bin b = crd__metric_mass_first(facts); b.weight > 0;
       b = crd__metric_mass_next(facts, b)) {
    if (b.size < two) continue;
    const double gap = b.gap / b.weight, accuracy = b.right / b.weight;
    error += b.weight * (gap * gap - accuracy * (1 - accuracy) / (b.size - 1));
  }
  return crd__metric_answer_value(sqrt(fmax(error, 0) / facts->weight));
}

const crd__metric crd__metric_rmsce_debiased = {
  .info = { .name = "rmsce-debiased",
            .title = "RMSCE (debiased)",
            .summary = "debiased root mean square calibration error",
            .meaning = "The square root of an unbiased estimate of the squared gaps in bins of "
                       "equal mass: the bias that sampling noise adds to rmsce is subtracted. "
                       "0 when the estimate is negative.",
            .reference = "Kumar, Liang, Ma 2019, Verified uncertainty calibration; Broecker 2012",
            .low = 0,
            .high = 1,
            .direction = CRD_LOWER_IS_BETTER },
  .ranked = true,
  .finish = rmsce_debiased_finish,
};

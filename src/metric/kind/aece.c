/*
 * aece.c -- adaptive calibration error: like ece, with equal-mass bins (metric/mass_bins.h).
 */
#include "metric/mass_bins.h"

#include <math.h>

static crd__metric_answer aece_finish(const crd__metric_facts *facts) {
  double error = 0;
  for (crd__metric_mass_bin b = crd__metric_mass_first(facts); b.weight > 0;
       b = crd__metric_mass_next(facts, b))
    error += fabs(b.gap);
  return crd__metric_answer_value(error / facts->weight);
}

const crd__metric crd__metric_aece = {
  .info = { .name = "aece",
            .title = "AdaECE",
            .summary = "adaptive calibration error, equal-mass bins",
            .meaning = "Like ece, with bins that hold the same number of rows each, so that no bin "
                       "is too small to estimate and none too wide to see detail.",
            .reference = "Nguyen, O'Connor 2015; Nixon et al. 2019, Measuring calibration in deep "
                         "learning",
            .low = 0,
            .high = 1,
            .direction = CRD_LOWER_IS_BETTER,
            .standard = 1 },
  .ranked = true,
  .finish = aece_finish,
};

/*
 * sce.c -- static (classwise) calibration error:
 *   (1/K) sum_k sum_m (n_km / N) |frequency_km - mean p_km|, equal-width bins, all N rows per
 * class.
 */
#include "metric/class_bins.h"

static crd__answer finish(const crd__facts *facts) {
  return crd__is(crd__class_gaps(facts) / (double)facts->shape.classes);
}

const crd__metric crd_metric_sce = {
  .info = { .name = "sce",
            .summary = "classwise calibration error, mean over classes",
            .meaning = "The calibration error of each class's probability, averaged over the "
                       "classes: it also sees classes that are rarely predicted.",
            .reference = "Nixon et al. 2019, Measuring calibration in deep learning; Kull et al. "
                         "2019, Beyond temperature scaling",
            .low = 0,
            .high = 1,
            .direction = CRD_LOWER_IS_BETTER,
            .standard = 1 },
  .tally = &crd__class_bins,
  .finish = finish,
};

/*
 * sce.c -- static (classwise) calibration error:
 *   (1/K) sum_k sum_m (n_km / N) |frequency_km - mean p_km|, equal-width bins, all N rows per
 * class.
 */
#include "metric/class_bins.h"

static crd__metric_answer sce_finish(const crd__metric_facts *facts) {
  return crd__metric_answer_value(crd__metric_class_gaps(facts) / (double)facts->shape.classes);
}

const crd__metric crd__metric_sce = {
  .info = { .name = "sce",
            .title = "SCE",
            .summary = "static (classwise) calibration error, mean over classes",
            .meaning = "The calibration error of each class's probability, averaged over the "
                       "classes: it covers classes that are rarely predicted, too.",
            .reference = "Nixon et al. 2019, Measuring calibration in deep learning; Kull et al. "
                         "2019, Beyond temperature scaling",
            .low = 0,
            .high = 1,
            .direction = CRD_LOWER_IS_BETTER,
            .standard = 1 },
  .tally = &crd__metric_class_bins,
  .finish = sce_finish,
};

/*
 * sce_sum.c -- classwise calibration error as a sum over classes: K times sce.
 *
 * Published tables use both forms (Kull et al. 2019 the sum), a factor of K apart.
 */
#include "metric/class_bins.h"

#include <math.h>

static crd__metric_answer sce_sum_finish(const crd__metric_facts *facts) {
  return crd__metric_answer_value(crd__metric_class_gaps(facts));
}

const crd__metric crd__metric_sce_sum = {
  .info = { .name = "sce-sum",
            .title = "SCE (sum)",
            .summary = "static (classwise) calibration error, summed over classes",
            .meaning = "sce times the number of classes, the form that some papers report.",
            .reference = "Kull et al. 2019, Beyond temperature scaling",
            .low = 0,
            .high = INFINITY,
            .direction = CRD_LOWER_IS_BETTER },
  .tally = &crd__metric_class_bins,
  .finish = sce_sum_finish,
};

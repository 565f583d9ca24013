/*
 * sce_threshold.c -- classwise calibration error of the probabilities above 1e-3:
 *   (1/K) sum_k sum_m (n_km / N_k) |frequency_km - mean p_km|, equal-width bins,
 * over the pairs of row and class with p > 1e-3, N_k of them for class k (a class without any
 * counts 0).
 */
#include "metric/class_bins.h"

static crd__metric_answer sce_threshold_finish(const crd__metric_facts *facts) {
  double sum = 0;
  for (size_t k = 0; k < facts->shape.classes; k++) sum += crd__metric_kept_class_gaps(facts, k);
  return crd__metric_answer_value(sum / (double)facts->shape.classes);
}

const crd__metric crd__metric_sce_threshold = {
  .info = { .name = "sce-threshold",
            .title = "SCE (threshold)",
            .summary = "classwise calibration error of probabilities above 0.001",
            .meaning = "Like sce, without the many probabilities near 0 that make it small when "
                       "there are many classes. Bins have equal width; those of tace have equal "
                       "mass.",
            .reference = "after Nixon et al. 2019, Measuring calibration in deep learning",
            .low = 0,
            .high = 1,
            .direction = CRD_LOWER_IS_BETTER },
  .tally = &crd__metric_kept_class_bins,
  .finish = sce_threshold_finish,
};

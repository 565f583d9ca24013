/*
 * tace.c -- thresholded adaptive calibration error:
 *   (1/K) sum_k (1/R_k) sum_r |frequency_kr - mean p_kr|
 * over the pairs of row and class with p > 1e-3, those of class k cut into bins of equal mass as
 * aece cuts the rows (metric/mass_bins.h). R_k is the number of bins asked for, or fewer where the
 * class has fewer pairs; a class without any counts 0 and stays in K.
 *
 * Every bin counts the same, as in the paper; bins of equal mass differ by one pair at most, so
 * that weighting them by their size would change next to nothing.
 */
#include "metric/class_pairs.h"
#include "metric/mass_bins.h"

#include <math.h>

static crd__metric_answer tace_finish(const crd__metric_facts *facts) {
  double error = 0;
  size_t bins = 0;
  for (crd__metric_mass_bin b = crd__metric_mass_first(facts); b.weight > 0;
       b = crd__metric_mass_next(facts, b)) {
    error += fabs(b.gap) / b.weight;
    bins++;
  }
  return crd__metric_answer_value(error / (double)bins);
}

const crd__metric crd__metric_tace = {
  .info = { .name = "tace",
            .summary = "thresholded adaptive calibration error, mean over classes",
            .meaning =
                "Like sce-threshold, with bins of equal mass, each of which counts the same: "
                "for each class the probabilities above 0.001 are kept, cut into bins of as "
                "many each, and the gaps of the bins averaged; then the classes. Needs "
                "memory for every probability kept.",
            .reference = "Nixon et al. 2019, Measuring calibration in deep learning",
            .low = 0,
            .high = 1,
            .direction = CRD_LOWER_IS_BETTER },
  .tally = &crd__metric_class_pairs,
  .finish = tace_finish,
};

/*
 * tace.c -- thresholded adaptive calibration error:
 *   (1/K) sum_k (1/R_k) sum_r |frequency_kr - mean p_kr|
 * over the pairs of row and class with p > 1e-3, those of class k split into equal-mass bins as
 * aece splits the rows (metric/mass_bins.h). R_k is the number of bins, or fewer if the class has
 * fewer pairs; a class without any counts 0 and stays in K.
 *
 * Every bin counts the same, as in the paper; equal-mass bins differ by at most one pair, so
 * weighting them by size would change almost nothing.
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
            .title = "TACE",
            .summary = "thresholded adaptive calibration error, mean over classes",
            .meaning = "Like sce-threshold, with equal-mass bins: for each class the probabilities "
                       "above 0.001 are kept and divided into bins of equal size, the gaps of the "
                       "bins are averaged, then the classes. Needs memory for every probability "
                       "kept.",
            .reference = "Nixon et al. 2019, Measuring calibration in deep learning",
            .low = 0,
            .high = 1,
            .direction = CRD_LOWER_IS_BETTER },
  .tally = &crd__metric_class_pairs,
  .finish = tace_finish,
};

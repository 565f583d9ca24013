/*
 * brier_top1.c -- top-1 Brier score: the mean of (c - a)^2, confidence c against correctness a.
 */
#include "metric/top_errors.h"

static void brier_top1_add(crd__sum *cells, const crd__metric_shape *shape,
                           const crd__data_rows *rows) {
  (void)shape;
  for (size_t i = 0; i < rows->count; i++) {
    const double error = rows->confidence[i] - rows->correct[i];
    crd__sum_add(cells, rows->weight[i] * (error * error));
  }
}

const crd__metric_tally crd__metric_top_errors = { .name = "brier-top1",
                                                   .cells = crd__metric_one_cell,
                                                   .add = brier_top1_add };

const crd__metric crd__metric_brier_top1 = {
  .info = { .name = "brier-top1",
            .title = "Brier (top-1)",
            .summary = "Brier score of the confidence alone",
            .meaning = "The mean squared distance between the confidence and whether the "
                       "prediction is correct (1 or 0); for binary scores with binary pos it is "
                       "brier-binary.",
            .reference = "Brier 1950, applied to the predicted class",
            .low = 0,
            .high = 1,
            .direction = CRD_LOWER_IS_BETTER },
  .tally = &crd__metric_top_errors,
  .finish = crd__metric_mean,
};

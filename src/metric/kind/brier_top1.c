/*
 * brier_top1.c -- the mean of (c - a)^2: confidence c against correctness a.
 */
#include "metric/top_errors.h"

static void add(crd__sum *cells, const crd__shape *shape, const crd__rows *rows) {
  (void)shape;
  for (size_t i = 0; i < rows->count; i++) {
    const double error = rows->confidence[i] - rows->correct[i];
    crd__sum_add(cells, rows->weight[i] * (error * error));
  }
}

const crd__tally crd__top_errors = { .name = "brier-top1", .cells = crd__one_cell, .add = add };

const crd__metric crd_metric_brier_top1 = {
  .info = { .name = "brier-top1",
            .summary = "squared error of the confidence alone",
            .meaning = "The squared distance between the confidence and whether the prediction was "
                       "right; for binary scores with --binary pos, brier-binary.",
            .reference = "Brier 1950, applied to the predicted class",
            .low = 0,
            .high = 1,
            .direction = CRD_LOWER_IS_BETTER },
  .tally = &crd__top_errors,
  .finish = crd__mean,
};

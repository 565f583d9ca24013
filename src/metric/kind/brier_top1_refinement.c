/*
 * brier_top1_refinement.c -- brier-top1-refinement: the mean loss (c - a)^2, of the class that was
 * predicted before after recalibration (recalibrated.h).
 */
#include "metric/recalibrated.h"

const crd__metric crd__metric_brier_top1_refinement = {
  .info = { .name = "brier-top1-refinement",
            .title = "Brier refinement (top-1)",
            .summary = "Brier score of the confidence after recalibration",
            .meaning = "The part of brier-top1 that no recalibration removes: how well the "
                       "confidence separates correct from wrong predictions. Rows are "
                       "recalibrated by calibrators fitted on the other folds.",
            .reference = CRD__RECALIBRATED_PAPER,
            .low = 0,
            .high = 1,
            .direction = CRD_LOWER_IS_BETTER,
            .recalibrated = 1 },
  .tally = &crd__metric_recalibrated_top,
  .finish = crd__metric_refinement,
};

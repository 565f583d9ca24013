/*
 * brier_top1_calibration.c -- brier-top1-calibration: the mean loss (c - a)^2, of the class that
 * was predicted before, before minus after recalibration (recalibrated.h).
 */
#include "metric/recalibrated.h"

const crd__metric crd__metric_brier_top1_calibration = {
  .info = { .name = "brier-top1-calibration",
            .title = "Brier calibration (top-1)",
            .summary = "Brier score of the confidence that recalibration removes",
            .meaning = "The part of brier-top1 that recalibration by cross-validation "
                       "removes. Slightly below 0 where there is nothing to remove: a fit on "
                       "other rows costs a little.",
            .reference = CRD__RECALIBRATED_PAPER,
            .low = -1,
            .high = 1,
            .direction = CRD_LOWER_IS_BETTER,
            .recalibrated = 1 },
  .tally = &crd__metric_recalibrated_top,
  .finish = crd__metric_calibration,
};

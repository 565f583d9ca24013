/*
 * brier_calibration.c -- brier-calibration: the mean loss sum_k (p_k - [k = y])^2, before minus
 * after recalibration (recalibrated.h).
 */
#include "metric/recalibrated.h"

const crd__metric crd__metric_brier_calibration = {
  .info = { .name = "brier-calibration",
            .title = "Brier calibration",
            .summary = "Brier score that recalibration removes",
            .meaning = "The part of brier that recalibration by cross-validation removes. "
                       "Slightly below 0 where there is nothing to remove: a fit on other "
                       "rows costs a little.",
            .reference = CRD__RECALIBRATED_PAPER,
            .low = -2,
            .high = 2,
            .direction = CRD_LOWER_IS_BETTER,
            .recalibrated = 1 },
  .tally = &crd__metric_recalibrated_brier,
  .finish = crd__metric_calibration,
};

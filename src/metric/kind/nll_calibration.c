/*
 * nll_calibration.c -- nll-calibration: the mean loss -log p_y, before minus after recalibration
 * (recalibrated.h).
 */
#include "metric/recalibrated.h"

const crd__metric crd__metric_nll_calibration = {
  .info = { .name = "nll-calibration",
            .title = "NLL calibration",
            .summary = "negative log-likelihood that recalibration removes",
            .meaning = "The part of nll that recalibration by cross-validation removes. "
                       "Slightly below 0 where there is nothing to remove: a fit on other "
                       "rows costs a little.",
            .reference = CRD__RECALIBRATED_PAPER,
            .low = -INFINITY,
            .high = INFINITY,
            .direction = CRD_LOWER_IS_BETTER,
            .recalibrated = 1 },
  .tally = &crd__metric_recalibrated_nll,
  .finish = crd__metric_calibration,
};

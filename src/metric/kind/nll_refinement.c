/*
 * nll_refinement.c -- nll-refinement: the mean loss -log p_y after recalibration (recalibrated.h).
 */
#include "metric/recalibrated.h"

const crd__metric crd__metric_nll_refinement = {
  .info = { .name = "nll-refinement",
            .title = "NLL refinement",
            .summary = "negative log-likelihood after recalibration",
            .meaning = "The part of nll that no recalibration removes: how well the scores "
                       "separate the classes. Rows are recalibrated by calibrators fitted on "
                       "the other folds.",
            .reference = CRD__RECALIBRATED_PAPER,
            .low = 0,
            .high = INFINITY,
            .direction = CRD_LOWER_IS_BETTER,
            .recalibrated = 1 },
  .tally = &crd__metric_recalibrated_nll,
  .finish = crd__metric_refinement,
};

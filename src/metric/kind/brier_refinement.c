/*
 * brier_refinement.c -- brier-refinement: the mean loss sum_k (p_k - [k = y])^2 after
 * recalibration (recalibrated.h).
 */
#include "metric/recalibrated.h"

const crd__metric crd__metric_brier_refinement = {
  .info = { .name = "brier-refinement",
            .title = "Brier refinement",
            .summary = "Brier score after recalibration",
            .meaning = "The part of brier that no recalibration removes: how well the scores "
                       "separate the classes. Rows are recalibrated by calibrators fitted on "
                       "the other folds.",
            .reference = CRD__RECALIBRATED_PAPER,
            .low = 0,
            .high = 2,
            .direction = CRD_LOWER_IS_BETTER,
            .recalibrated = 1 },
  .tally = &crd__metric_recalibrated_brier,
  .finish = crd__metric_refinement,
};

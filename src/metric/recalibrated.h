/*
 * recalibrated.h -- proper losses before and after recalibration.
 *
 * A proper loss is the sum of a calibration error, which the best recalibration of the scores would
 * remove, and of refinement, which it cannot change. The recalibration of the rows by
 * cross-validation (evaluate/recalibrate.c) estimates both:
 *
 *   refinement = mean loss after recalibration,   calibration = mean loss before - after
 *
 * Resamples draw the rows' losses before and after; recalibration is not repeated for each of them.
 *
 * Berta, Holzmueller, Jordan, Bach: Rethinking early stopping: refine, then calibrate (2025).
 */
#ifndef CRD_METRIC_RECALIBRATED_H
#define CRD_METRIC_RECALIBRATED_H

#include "metric/metric.h"

/* Two cells: the sums before and after. */
extern const crd__metric_tally crd__metric_recalibrated_nll, crd__metric_recalibrated_brier,
    crd__metric_recalibrated_top;

crd__metric_answer crd__metric_refinement(const crd__metric_facts *facts);
crd__metric_answer crd__metric_calibration(const crd__metric_facts *facts);

#define CRD__RECALIBRATED_PAPER                                                                    \
  "Berta, Holzmueller, Jordan, Bach 2025, Rethinking early stopping: refine, then calibrate"

#endif

/* interval.h -- 95 % intervals of every metric, from the resamples that the evidence holds. */
#ifndef CRD_EVALUATE_INTERVAL_H
#define CRD_EVALUATE_INTERVAL_H

#include "metric/evidence.h"

/* Fill low and high of values[], one for each metric of the evidence's plan, whose estimates are
 * there already. NaN where fewer than half of the resamples have a value. */
crd_status crd__intervals(crd_context *ctx, const crd_evidence *evidence, crd_interval kind,
                          crd_metric_value *values);

#endif

/* interval.h -- 95 % intervals of every metric, from the resamples that the evidence holds. */
#ifndef CRD_EVALUATE_INTERVAL_H
#define CRD_EVALUATE_INTERVAL_H

#include "credence/evaluate.h"
#include "metric/evidence.h"

/* Fill low and high of values[], one for each metric of the evidence's plan, whose estimates are
 * there already. NaN where fewer than half of the resamples have a value. */
crd_status crd__evaluate_intervals(crd_context *ctx, crd_evidence *evidence, crd_interval kind,
                                   crd_metric_value *values);

/* Every metric of every resample: (*out)[metric * resamples + (sample - 1)], NaN where it does not
 * exist. The evidence keeps them for the next who asks, with its effective number of rows. Rankings
 * must be sorted. */
crd_status crd__evaluate_resampled_values(crd_context *ctx, crd_evidence *evidence,
                                          const double **out);
/* Move the numbers to the front, sorted, and return how many there are. */
size_t crd__evaluate_sort_numbers(double *values, size_t count);
/* Between neighbours of sorted values, linearly. */
double crd__evaluate_quantile(const double *values, size_t count, double share);
extern const double crd__evaluate_interval_tail;

#endif

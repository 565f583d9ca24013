/* interval.h -- 95 % bootstrap intervals of every metric, from the resamples of the evidence. */
#ifndef CRD_EVALUATE_INTERVAL_H
#define CRD_EVALUATE_INTERVAL_H

#include "credence/evaluate.h"
#include "metric/evidence.h"

/* Sets low and high of values[], one for each metric of the evidence's plan, whose estimates are
 * already set. Leaves NaN if fewer than half of the resamples have a value. */
crd_status crd__evaluate_intervals(crd_context *ctx, crd_evidence *evidence, crd_interval kind,
                                   crd_metric_value *values);

/* Computes every metric on every resample: (*out)[metric * resamples + (sample - 1)], NaN if
 * undefined. The evidence owns and caches the values, with its effective number of rows. Rankings
 * must be sorted. */
crd_status crd__evaluate_resampled_values(crd_context *ctx, crd_evidence *evidence,
                                          const double **out);
/* Sorts the values that are not NaN to the front, and returns their number. */
size_t crd__evaluate_sort_numbers(double *values, size_t count);
/* Returns a quantile of sorted values, with linear interpolation. */
double crd__evaluate_quantile(const double *values, size_t count, double share);
extern const double crd__evaluate_interval_tail;

/* ---- Comparisons (compare.c). */

/* Returns the two-sided p of the signs of `count` differences. */
double crd__evaluate_two_sided(const double *differences, size_t count);

#endif

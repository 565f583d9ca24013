/* within_bins.h -- how confidence and correctness vary within bins of confidence. */
#ifndef CRD_METRIC_WITHIN_BINS_H
#define CRD_METRIC_WITHIN_BINS_H

#include "metric/metric.h"

/* Means over all rows of (c - C)^2 and of (c - C)(a - A), C and A the means of the row's bin. */
typedef struct {
  double variance, covariance;
} crd__within;

crd__within crd__within_bins(const crd__facts *facts);

#endif

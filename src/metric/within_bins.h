/* within_bins.h -- variance and covariance within equal-width bins of confidence. */
#ifndef CRD_METRIC_WITHIN_BINS_H
#define CRD_METRIC_WITHIN_BINS_H

#include "metric/metric.h"

/* The means over all rows of (c - C)^2 and of (c - C)(a - A), C and A the means of the row's bin.
 */
typedef struct {
  double variance, covariance;
} crd__metric_within;

crd__metric_within crd__metric_within_bins(const crd__metric_facts *facts);
/* Returns how many of the bins are not empty and have mean confidence >= accuracy. */
double crd__metric_overconfident_bins(const crd__metric_ranking *ranking, size_t bins);

#endif

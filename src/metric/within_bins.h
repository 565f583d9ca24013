/* within_bins.h -- what rows do within equal-width bins of confidence. */
#ifndef CRD_METRIC_WITHIN_BINS_H
#define CRD_METRIC_WITHIN_BINS_H

#include "metric/metric.h"

/* Means over all rows of (c - C)^2 and of (c - C)(a - A), C and A the means of the row's bin. */
typedef struct {
  double variance, covariance;
} crd__metric_within;

crd__metric_within crd__metric_within_bins(const crd__metric_facts *facts);
/* How many of so many bins hold rows and are, on average, at least as sure as they are right. */
double crd__metric_overconfident_bins(const crd__metric_ranking *ranking, size_t bins);

#endif

/* class_bins.h -- for each class, bins of its probability against its frequency. */
#ifndef CRD_METRIC_CLASS_BINS_H
#define CRD_METRIC_CLASS_BINS_H

#include "metric/metric.h"

extern const crd__tally crd__class_bins;

/* Sum over classes and bins of |sum of probabilities - sum of occurrences|, per unit of weight. */
double crd__class_gaps(const crd__facts *facts);

#endif

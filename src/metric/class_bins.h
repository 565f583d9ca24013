/* class_bins.h -- for each class, bins of its probability against its frequency. */
#ifndef CRD_METRIC_CLASS_BINS_H
#define CRD_METRIC_CLASS_BINS_H

#include "metric/metric.h"

extern const crd__tally crd__class_bins;
/* The same of probabilities above 1e-3 alone, and the weight of these for each class. */
extern const crd__tally crd__kept_class_bins;

/* Sum over classes and bins of |sum of probabilities - sum of occurrences|, per unit of weight. */
double crd__class_gaps(const crd__facts *facts);
/* The same of one class among kept probabilities, per unit of kept weight; 0 when none is kept. */
double crd__kept_class_gaps(const crd__facts *facts, size_t k);

#endif

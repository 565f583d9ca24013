/* pairs.h -- pairs of a correct and a wrong row in the order they should have. */
#ifndef CRD_METRIC_PAIRS_H
#define CRD_METRIC_PAIRS_H

#include "metric/metric.h"

/* Sum over pairs of the product of their weights, where the correct row is the more confident one;
 * half of it for ties. */
double crd__metric_ordered_pairs(const crd__metric_ranking *ranking);

#endif

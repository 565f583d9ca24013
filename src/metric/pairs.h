/* pairs.h -- the Mann-Whitney statistic of confidence: correct against wrong rows. */
#ifndef CRD_METRIC_PAIRS_H
#define CRD_METRIC_PAIRS_H

#include "metric/metric.h"

/* Returns the sum over pairs of a correct and a wrong row of the product of their weights, where
 * the correct row is more confident; ties count half. */
double crd__metric_ordered_pairs(const crd__metric_ranking *ranking);

#endif

/* precision.h -- average precision, for aupr-success and aupr-error. */
#ifndef CRD_METRIC_PRECISION_H
#define CRD_METRIC_PRECISION_H

#include "metric/metric.h"

/* Called at each threshold that adds recall: the increase, the recall and the precision there. */
typedef void (*crd__metric_precision_visit)(void *arg, double step, double recall,
                                            double precision);
/* Walks down the thresholds; `all` is the total weight to find, above 0. */
void crd__metric_precision_walk(const crd__metric_ranking *ranking, bool correct, double all,
                                crd__metric_precision_visit visit, void *arg);

/* Returns the average precision of detecting the correct rows by high confidence, or the wrong ones
 * by low confidence. */
crd__metric_answer crd__metric_average_precision(const crd__metric_ranking *ranking, bool correct);

#endif

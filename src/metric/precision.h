/* precision.h -- average precision, which aupr-success and aupr-error share. */
#ifndef CRD_METRIC_PRECISION_H
#define CRD_METRIC_PRECISION_H

#include "metric/metric.h"

/* Called at each threshold that finds more: the recall it adds, the recall and the precision there.
 */
typedef void (*crd__metric_precision_visit)(void *arg, double step, double recall,
                                            double precision);
/* `all` is what there is to find, above 0. */
void crd__metric_precision_walk(const crd__metric_ranking *ranking, bool correct, double all,
                                crd__metric_precision_visit visit, void *arg);

/* Of finding the correct rows by high confidence, or the wrong ones by low confidence. */
crd__metric_answer crd__metric_average_precision(const crd__metric_ranking *ranking, bool correct);

#endif

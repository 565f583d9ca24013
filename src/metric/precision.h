/* precision.h -- average precision, which aupr-success and aupr-error share. */
#ifndef CRD_METRIC_PRECISION_H
#define CRD_METRIC_PRECISION_H

#include "metric/metric.h"

/* Called at each threshold that finds more: the recall it adds, the recall and the precision there.
 */
typedef void (*crd__precision_visit)(void *arg, double step, double recall, double precision);
/* `all` is what there is to find, above 0. */
void crd__precision_walk(const crd__ranking *ranking, bool correct, double all,
                         crd__precision_visit visit, void *arg);

/* Of finding the correct rows by high confidence, or the wrong ones by low confidence. */
crd__answer crd__average_precision(const crd__ranking *ranking, bool correct);

#endif

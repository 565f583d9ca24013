/* precision.h -- average precision, which aupr-success and aupr-error share. */
#ifndef CRD_METRIC_PRECISION_H
#define CRD_METRIC_PRECISION_H

#include "metric/metric.h"

/* Of finding the correct rows by high confidence, or the wrong ones by low confidence. */
crd__answer crd__average_precision(const crd__ranking *ranking, bool correct);

#endif

/* risk.h -- the area under the risk-coverage curve, which aurc and e-aurc share. */
#ifndef CRD_METRIC_RISK_H
#define CRD_METRIC_RISK_H

#include "metric/metric.h"

/* Mean over coverages of the error rate among the most confident rows. */
double crd__risk_area(const crd__facts *facts);

#endif

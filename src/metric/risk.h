/* risk.h -- the area under the risk-coverage curve, for aurc and e-aurc. */
#ifndef CRD_METRIC_RISK_H
#define CRD_METRIC_RISK_H

#include "metric/metric.h"

/* Called for each row of positive weight, the most confident first: its weight, the weight covered
 * including it, and the error rate of the covered rows. */
typedef void (*crd__metric_risk_visit)(void *arg, double step, double covered, double risk);
void crd__metric_risk_walk(const crd__metric_ranking *ranking, crd__metric_risk_visit visit,
                           void *arg);

/* Returns the mean over coverages of the error rate among the most confident rows. */
double crd__metric_risk_area(const crd__metric_facts *facts);

#endif

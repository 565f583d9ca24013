/* eq9.h -- the quantities of eq. 8 and 9 of Singh et al. 2021 (eq9_residual.c says why eq. 9 does
 * not hold). */
#ifndef CRD_METRIC_EQ9_H
#define CRD_METRIC_EQ9_H

#include "metric/metric.h"

/* With pi the accuracy and r the auroc: beta = 2 pi (1 - pi) r, gamma = (pi^2 + (1 - pi)^2) / 2. */
typedef struct {
  double beta, gamma;
} crd__metric_eq8;

crd__metric_eq8 crd__metric_eq8_of(const crd__metric_facts *facts);
/* Returns alpha - beta - gamma, alpha the mean confidence; needs crd__metric_top_bins and the
 * ranking. */
double crd__metric_eq9_right_side(const crd__metric_facts *facts);

#endif

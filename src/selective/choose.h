/* choose.h -- chooses the threshold of a target. */
#ifndef CRD_SELECTIVE_CHOOSE_H
#define CRD_SELECTIVE_CHOOSE_H

#include "selective/sample.h"

/* The probability with which the risk of a chosen threshold may exceed a target risk, and one minus
 * the level of intervals. */
#define CRD__SELECTIVE_ERROR 0.05

/* Returns the number of steps accepted, 0: none, so that the risk of the last step exceeds `risk`
 * with a probability of at most CRD__SELECTIVE_ERROR. */
size_t crd__selective_choose_tested(const crd__selective_sample *sample, double risk);
/* Returns the number of steps accepted by the observed risk or coverage; 0: no step has it. */
size_t crd__selective_choose_observed(const crd__selective_counts *counts, size_t count,
                                      const crd_target *target);
/* Returns the least number of rows without an error that shows such a risk; infinite for 0. */
double crd__selective_rows_needed(double risk);

#endif

/* mass_bins.h -- bins of equal mass along the ranking, which aece and the debiased errors share. */
#ifndef CRD_METRIC_MASS_BINS_H
#define CRD_METRIC_MASS_BINS_H

#include "metric/metric.h"

/*
 * One bin, for walking from the least confident rows upwards (a bin without rows is passed over):
 *   for (crd__metric_mass_bin b = crd__metric_mass_first(f); b.weight > 0; b =
 * crd__metric_mass_next(f, b)) ...
 */
typedef struct {
  double weight, right; /* of all rows and of the correct ones */
  double gap;           /* sum of weight * (confidence - correctness) */
  double size;          /* weight in units of the mean weight of rows of positive weight */
  /* Where the walk stands. */
  size_t next, rows;
  double before;
} crd__metric_mass_bin;

crd__metric_mass_bin crd__metric_mass_first(const crd__metric_facts *facts);
crd__metric_mass_bin crd__metric_mass_next(const crd__metric_facts *facts,
                                           crd__metric_mass_bin bin);

/* E|X|, X normal (ece_debiased.c). */
double crd__metric_mean_distance(double mean, double variance);

#endif

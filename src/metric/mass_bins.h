/* mass_bins.h -- bins of equal mass along the ranking, which aece and the debiased errors share. */
#ifndef CRD_METRIC_MASS_BINS_H
#define CRD_METRIC_MASS_BINS_H

#include "metric/metric.h"

/*
 * One bin, for walking from the least confident rows upwards (a bin without rows is passed over):
 *   for (crd__mass_bin b = crd__mass_first(f); b.weight > 0; b = crd__mass_next(f, b)) ...
 */
typedef struct {
  double weight, right; /* of all rows and of the correct ones */
  double gap;           /* sum of weight * (confidence - correctness) */
  double size;          /* weight in units of the mean weight of rows of positive weight */
  /* Where the walk stands. */
  size_t next, rows;
  double before;
} crd__mass_bin;

crd__mass_bin crd__mass_first(const crd__facts *facts);
crd__mass_bin crd__mass_next(const crd__facts *facts, crd__mass_bin bin);

/* E|X|, X normal (ece_debiased.c). */
double crd__mean_distance(double mean, double variance);

#endif

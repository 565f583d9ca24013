/* mass_bins.h -- equal-mass bins along the ranking, for aece, tace and the debiased errors. */
#ifndef CRD_METRIC_MASS_BINS_H
#define CRD_METRIC_MASS_BINS_H

#include "metric/metric.h"

/*
 * One bin, for iterating from the least confident rows upwards (empty bins are skipped):
 *   for (crd__metric_mass_bin b = crd__metric_mass_first(f); b.weight > 0; b =
 * crd__metric_mass_next(f, b)) ...
 */
typedef struct {
  double weight, right; /* of all rows and of the correct ones */
  double gap;           /* sum of weight * (confidence - correctness) */
  double size;          /* weight in units of the mean weight of rows of positive weight */
  /* State of the iteration. */
  size_t next, rows;
  double before;
} crd__metric_mass_bin;

crd__metric_mass_bin crd__metric_mass_first(const crd__metric_facts *facts);
crd__metric_mass_bin crd__metric_mass_next(const crd__metric_facts *facts,
                                           crd__metric_mass_bin last);

/* Returns E|X| of a normal X (ece_debiased.c). */
double crd__metric_mean_distance(double mean, double variance);

#endif

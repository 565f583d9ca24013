/* walk.h -- cumulative differences between confidence and correctness along the ranking. */
#ifndef CRD_METRIC_WALK_H
#define CRD_METRIC_WALK_H

#include "metric/metric.h"

/*
 * Extremes of S(t), the sum of w (c - a) over rows of confidence up to t, S = 0 before the first
 * row. S is evaluated only at the end of a run of equal confidences, so the order of ties does not
 * matter.
 */
typedef struct {
  double most, least; /* max S >= 0 and min S <= 0 */
  double deviation;   /* standard deviation of the final S under calibration:
                         sqrt(sum w^2 c (1 - c)) */
} crd__metric_walk;

crd__metric_walk crd__metric_walk_along(const crd__metric_ranking *ranking);
/* Returns `distance` in units of the deviation; infinite if a calibrated model cannot have it. */
double crd__metric_walk_units(const crd__metric_walk *walk, double distance);

#endif

/* walk.h -- the differences between confidence and correctness, added up along the ranking. */
#ifndef CRD_METRIC_WALK_H
#define CRD_METRIC_WALK_H

#include "metric/metric.h"

/*
 * Of S(t), the sum of w (c - a) over rows of confidence up to t, S = 0 before the first row. The
 * walk is looked at only at the end of a run of equal confidences, so that the order of ties does
 * not matter.
 */
typedef struct {
  double most, least; /* max S >= 0 and min S <= 0 */
  double deviation;   /* of its end for a calibrated model: sqrt(sum w^2 c (1 - c)) */
} crd__metric_walk;

crd__metric_walk crd__metric_walk_along(const crd__metric_ranking *ranking);
/* `distance` in units of the deviation; what cannot happen to a calibrated model is infinite. */
double crd__metric_walk_units(const crd__metric_walk *walk, double distance);

#endif

/*
 * walk.c -- cumulative differences between confidence and correctness along the ranking.
 *
 * For a calibrated model the steps are independent with mean 0 and variance w^2 c (1 - c) whatever
 * the confidences are: with many rows the walk is Brownian motion with that variance as its clock,
 * and its largest distance and its range have known distributions (math/brownian.h). Evaluating S
 * at the ends of runs only can make both smaller, and p larger, so the test stays valid.
 *
 * Arrieta-Ibarra, Gujral, Tannen, Tygert, Xu: Metrics of calibration for probabilistic predictions
 * (2022).
 */
#include "metric/walk.h"

crd__metric_walk crd__metric_walk_along(const crd__metric_ranking *ranking) {
  crd__metric_walk walk = { 0 };
  double sum = 0, variance = 0;
  for (crd__metric_ties t = crd__metric_ties_lowest(ranking); t.count;
       t = crd__metric_ties_next(ranking, t)) {
    sum += t.confidence * (t.right + t.wrong) - t.right;
    walk.most = fmax(walk.most, sum);
    walk.least = fmin(walk.least, sum);
    for (size_t i = t.from; i < t.from + t.count; i++) {
      const double weight = crd__metric_ranking_weight(ranking, i);
      variance += weight * weight * (t.confidence * (1 - t.confidence));
    }
  }
  walk.deviation = sqrt(variance);
  return walk;
}

double crd__metric_walk_units(const crd__metric_walk *walk, double distance) {
  return distance > 0 ? distance / walk->deviation : 0;
}

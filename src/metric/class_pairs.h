/*
 * class_pairs.h -- for each class, a ranking of its probabilities: the rows where it exceeds 1e-3,
 * sorted by that probability, "correct" where the class is the true one.
 *
 * With many classes nearly all probabilities are near 0, and few are kept for each row. Their
 * number is unknown before the rows are read, so a tally counts them first.
 */
#ifndef CRD_METRIC_CLASS_PAIRS_H
#define CRD_METRIC_CLASS_PAIRS_H

#include "metric/metric.h"

static inline bool crd__metric_pair_kept(double probability) { return probability > 1e-3; }

/* The number of kept pairs (row, class) of each class, ignoring weights, and the pairs themselves.
 */
extern const crd__metric_tally crd__metric_class_pairs;

#endif

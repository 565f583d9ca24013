/*
 * class_pairs.h -- for each class, a ranking of its probabilities: the rows that give it more than
 * 1e-3, in order of that probability, "correct" where the class is the true one.
 *
 * With many classes nearly all probabilities are near 0; those kept are few for each row. How many
 * there are is not known before the rows are read, so a tally counts them first.
 */
#ifndef CRD_METRIC_CLASS_PAIRS_H
#define CRD_METRIC_CLASS_PAIRS_H

#include "metric/metric.h"

static inline bool crd__metric_pair_kept(double probability) { return probability > 1e-3; }

/* The number of pairs of each class, whatever their rows weigh, and the pairs themselves. */
extern const crd__metric_tally crd__metric_class_pairs;

#endif

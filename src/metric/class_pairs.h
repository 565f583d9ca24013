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

#include <stdatomic.h>

static inline bool crd__metric_pair_kept(double probability) { return probability > 1e-3; }

/* The number of pairs of each class, whatever their rows weigh. A metric that names this tally is
 * finished once for each class, from that class's ranking and weight; the mean is its value, where
 * a class of no weight counts 0. */
extern const crd__metric_tally crd__metric_class_pairs;

/* Write the pairs of these rows to reserved room: those of class k to rankings[k], from next[k] on,
 * which moves; beyond that room nothing is written. Workers may do so together. */
void crd__metric_class_pairs_put(crd__metric_ranking *rankings, atomic_size_t *next,
                                 const crd__data_rows *rows, uint64_t first_row);

#endif

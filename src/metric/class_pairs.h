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

#include <stdatomic.h>

static inline bool crd__metric_pair_kept(double probability) { return probability > 1e-3; }

/* The number of kept pairs (row, class) of each class, ignoring weights. A metric with this tally
 * is finished once per class, from that class's ranking and weight; its value is the mean over
 * classes, where a class without weight counts 0. */
extern const crd__metric_tally crd__metric_class_pairs;

/* Writes the pairs of these rows: those of class k to rankings[k], from index next[k] on, which is
 * advanced; beyond the reserved capacity nothing is written. Safe to call from several workers. */
void crd__metric_class_pairs_put(crd__metric_ranking *rankings, atomic_size_t *next,
                                 const crd__data_rows *rows, uint64_t first_row);

#endif

/* top_bins.h -- the bins of the reliability diagram: confidence against correctness. */
#ifndef CRD_METRIC_TOP_BINS_H
#define CRD_METRIC_TOP_BINS_H

#include "metric/metric.h"

extern const crd__metric_tally crd__metric_top_bins;

/* One bin as weight and means; an empty bin (weight 0) has means of 0. */
typedef struct {
  size_t rows;
  double weight;               /* sum of weights */
  double confidence, accuracy; /* means */
  double gap;                  /* |sum of confidences - sum of correctness|, undivided */
} crd__metric_top_bin;

/* One bin as sums over its rows. */
typedef struct {
  size_t rows;
  double weight, confidence, correct;
} crd__metric_top_sums;

crd__metric_top_sums crd__metric_top_sums_at(const crd__sum *sums, size_t bin);
crd__metric_top_bin crd__metric_top_bin_at(const crd__sum *cells, size_t bin);
/* Return the means over all rows of |A_m - C_m| (the ece) and (A_m - C_m)^2, m the row's bin. */
double crd__metric_top_gaps(const crd__metric_facts *facts);
double crd__metric_top_squares(const crd__metric_facts *facts);
/* Returns the part of crd__metric_top_gaps from bins with C_m > A_m (over), or from those with A_m
 * > C_m.
 */
double crd__metric_top_side(const crd__metric_facts *facts, bool over);
/* Returns the weighted share of correct rows. */
double crd__metric_top_accuracy(const crd__metric_facts *facts);

#endif

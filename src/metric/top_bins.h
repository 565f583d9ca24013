/* top_bins.h -- the bins of the reliability diagram: confidence against correctness. */
#ifndef CRD_METRIC_TOP_BINS_H
#define CRD_METRIC_TOP_BINS_H

#include "metric/metric.h"

extern const crd__tally crd__top_bins;

/* Bin `bin` as weights and means; an empty one (weight 0) has means of 0. */
typedef struct {
  size_t rows;
  double weight;               /* sum of weights */
  double confidence, accuracy; /* means */
  double gap;                  /* |sum of confidences - sum of correctness|, undivided */
} crd__top_bin;

crd__top_bin crd__top_bin_at(const crd__sum *cells, size_t bin);

#endif

/* class_bins.h -- for each class, bins of its probability against its frequency. */
#ifndef CRD_METRIC_CLASS_BINS_H
#define CRD_METRIC_CLASS_BINS_H

#include "metric/metric.h"

extern const crd__metric_tally crd__metric_class_bins;
/* The same over probabilities above 1e-3 alone, and the weight of these for each class. */
extern const crd__metric_tally crd__metric_kept_class_bins;
/* The same over all probabilities, with the row count and weight of each bin, and the row count of
 * each class. */
extern const crd__metric_tally crd__metric_full_class_bins;

/* Sums of one bin of crd__metric_full_class_bins. */
typedef struct {
  size_t rows;
  double weight, probability, occurrence;
  double gap; /* |probability - occurrence| */
} crd__metric_class_sums;

crd__metric_class_sums crd__metric_class_sums_at(const crd__sum *sums,
                                                 const crd__metric_shape *shape, size_t k,
                                                 size_t bin);
/* Returns the number of rows whose label is k. */
size_t crd__metric_class_rows(const crd__sum *sums, const crd__metric_shape *shape, size_t k);

/* Returns the sum over classes and bins of |sum of probabilities - sum of occurrences|, divided by
 * the total weight. */
double crd__metric_class_gaps(const crd__metric_facts *facts);
/* Returns the same sum for one class over the kept probabilities, divided by their weight; 0 if
 * none is kept. */
double crd__metric_kept_class_gaps(const crd__metric_facts *facts, size_t k);

#endif

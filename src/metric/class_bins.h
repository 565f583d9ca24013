/* class_bins.h -- for each class, bins of its probability against its frequency. */
#ifndef CRD_METRIC_CLASS_BINS_H
#define CRD_METRIC_CLASS_BINS_H

#include "metric/metric.h"

extern const crd__metric_tally crd__metric_class_bins;
/* The same of probabilities above 1e-3 alone, and the weight of these for each class. */
extern const crd__metric_tally crd__metric_kept_class_bins;
/* The same of all probabilities with the rows and weights of each bin, and the rows of each class.
 */
extern const crd__metric_tally crd__metric_full_class_bins;

/* A bin of crd__metric_full_class_bins as sums, and how many rows are of class k. */
typedef struct {
  size_t rows;
  double weight, probability, occurrence;
  double gap; /* |probability - occurrence| */
} crd__metric_class_sums;

crd__metric_class_sums crd__metric_class_sums_at(const crd__sum *cells,
                                                 const crd__metric_shape *shape, size_t k,
                                                 size_t bin);
size_t crd__metric_class_rows(const crd__sum *cells, const crd__metric_shape *shape, size_t k);

/* Sum over classes and bins of |sum of probabilities - sum of occurrences|, per unit of weight. */
double crd__metric_class_gaps(const crd__metric_facts *facts);
/* The same of one class among kept probabilities, per unit of kept weight; 0 when none is kept. */
double crd__metric_kept_class_gaps(const crd__metric_facts *facts, size_t k);

#endif

/* bin_range.h -- 95 % intervals of proportions, and the range of a calibrated bin. */
#ifndef CRD_EVALUATE_BIN_RANGE_H
#define CRD_EVALUATE_BIN_RANGE_H

#include <stddef.h>

typedef struct {
  double low, high;
} crd__evaluate_range;

/* Returns the 95 % Wilson interval of a share of `rows` >= 1 independent rows; the effective number
 * of weighted or clustered rows need not be an integer. */
crd__evaluate_range crd__evaluate_share_interval(double share, double rows);
/* Returns the 95 % Tango interval of the difference p1 - p2 of two shares of the same `rows`, if
 * `first` rows count for the first share only and `second` for the second only. */
crd__evaluate_range crd__evaluate_share_difference_interval(double first, double second,
                                                            double rows);
/* Returns the range that holds the accuracy of `rows` rows in 95 % of samples, if each is correct
 * with this probability. */
crd__evaluate_range crd__evaluate_calibrated_range(double probability, size_t rows);

#endif

/* bin_range.h -- what so many rows can tell: of a share of them, and of calibration. */
#ifndef CRD_EVALUATE_BIN_RANGE_H
#define CRD_EVALUATE_BIN_RANGE_H

#include <stddef.h>

typedef struct {
  double low, high;
} crd__evaluate_range;

/* The 95 % interval of a share that was seen in `rows` independent rows, at least one; what rows
 * with weights, or in clusters, are worth need not be a whole number. */
crd__evaluate_range crd__evaluate_share_interval(double share, double rows);
/* The 95 % interval of the difference p1 - p2 of two shares of the same `rows`, when `first` rows
 * count for the first share alone and `second` for the second alone. */
crd__evaluate_range crd__evaluate_share_difference_interval(double first, double second,
                                                            double rows);
/* Where the share of right rows lies in 95 % of samples, if each is right with this probability. */
crd__evaluate_range crd__evaluate_calibrated_range(double probability, size_t rows);

#endif

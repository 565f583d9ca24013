/* bin_range.h -- what a bin of so many rows can tell: of its accuracy, and of calibration. */
#ifndef CRD_EVALUATE_BIN_RANGE_H
#define CRD_EVALUATE_BIN_RANGE_H

#include <stddef.h>

typedef struct {
  double low, high;
} crd__range;

/* The 95 % interval of a share that was seen in `rows` rows, at least one. */
crd__range crd__share_interval(double share, size_t rows);
/* Where the share of right rows lies in 95 % of samples, if each is right with this probability. */
crd__range crd__calibrated_range(double probability, size_t rows);

#endif

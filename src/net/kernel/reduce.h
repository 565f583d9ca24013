/* reduce.h -- sums, means, products and extremes over any of the dimensions. */
#ifndef CRD_NET_KERNEL_REDUCE_H
#define CRD_NET_KERNEL_REDUCE_H

#include "credence/network.h"

#include <stdbool.h>

typedef enum { CRD__SUM, CRD__MEAN, CRD__PROD, CRD__MAX, CRD__MIN } crd__reduce_id;

/* x in C order; y in C order has the dimensions that `reduced` is false for. Singles are summed in
 * short runs of singles, these in doubles; what is no real number wraps, and a mean of integers is
 * cut towards 0. Of nothing: 0, NaN (integers: 0), 1, -infinity, infinity (integers: the last one).
 */
void crd__reduce_axes(unsigned threads, crd__reduce_id id, crd_dtype dtype, size_t rank,
                      const int64_t *dims, const bool *reduced, const void *x, void *y);

#endif

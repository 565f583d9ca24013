/* along.h -- cumulative sums, positions of extrema and the k greatest elements along one axis of an
 * array of shape outer x length x inner. */
#ifndef CRD_ENGINE_KERNEL_ALONG_H
#define CRD_ENGINE_KERNEL_ALONG_H

#include "credence/array.h"

#include <stdbool.h>

typedef struct {
  crd_dtype dtype;
  size_t outer, length, inner;
} crd__kernel_along;

/* Compute y[o][j][i] = the sum of x[o][0..j][i]; with `exclusive` without element j, with `reverse`
 * of the elements from j on. float16 and float32 are summed in float64; integers wrap. */
void crd__kernel_cumsum(unsigned threads, const crd__kernel_along *a, bool exclusive, bool reverse,
                        const void *x, void *y);

/* Compute the position of the maximum (`least`: the minimum) along the axis, for each of outer x
 * inner; of equal ones the first, or the last. NaN counts as more extreme than any number. The
 * length must not be 0. */
void crd__kernel_arg(unsigned threads, const crd__kernel_along *a, bool least, bool last,
                     const void *x, int64_t *y);

/* Select the k <= length greatest (`least`: smallest) elements, in this order; of equal ones the
 * first comes first. NaN is greater than any number. Sets their values and positions, of shape
 * outer x k x inner. */
void crd__kernel_topk(unsigned threads, const crd__kernel_along *a, size_t k, bool least,
                      const void *x, void *values, int64_t *positions);

#endif

/* gather.h -- slices of an array by index. */
#ifndef CRD_ENGINE_KERNEL_GATHER_H
#define CRD_ENGINE_KERNEL_GATHER_H

#include "credence/array.h"

#include <stdbool.h>

/* An array of shape outer x length x inner, elements of `size` bytes, and `count` indices from
 * -length to length - 1 (I32 or I64; negative from the end): y[o][k][i] = x[o][index[k]][i]. */
typedef struct {
  size_t size, outer, length, inner;
  crd_dtype index_type;
  const void *index;
  size_t count;
} crd__kernel_gather;

/* Gather; false if an index is out of range: *bad is the first, and nothing is written. */
bool crd__kernel_gather_run(unsigned threads, const crd__kernel_gather *g, const void *x, void *y,
                            int64_t *bad);

/* Compute dx[o][index[k]][i] = sum of dy[o][k][i] over k, in this order; float32. The forward pass
 * has checked the indices. */
void crd__kernel_gather_back(unsigned threads, const crd__kernel_gather *g, const float *dy,
                             float *dx);

#endif

/* reduce.h -- sums, means, products, maxima and minima over any of the dimensions. */
#ifndef CRD_ENGINE_KERNEL_REDUCE_H
#define CRD_ENGINE_KERNEL_REDUCE_H

#include "credence/array.h"

#include <stdbool.h>

typedef enum { CRD__SUM, CRD__MEAN, CRD__PROD, CRD__MAX, CRD__MIN } crd__kernel_reduce_id;

/* Reduce x, in C order; y, in C order, has the dimensions for which `reduced` is false. float32 is
 * summed in short runs of float32, and these in float64; integers wrap, and their mean is
 * truncated. Without elements: 0, NaN (integers: 0), 1, -infinity, infinity (integers: their
 * limits). */
void crd__kernel_reduce_axes(unsigned threads, crd__kernel_reduce_id id, crd_dtype dtype,
                             size_t rank, const int64_t *dims, const bool *reduced, const void *x,
                             void *y);

/* The backward pass of a sum, a mean or a maximum, in float32; equal maxima share the gradient, as
 * in torch.amax. x, y and `ties` (a workspace of the size of y) are for maxima only. */
typedef struct {
  crd__kernel_reduce_id id;
  size_t rank;
  int64_t dims[CRD_RANK_MAX];
  bool reduced[CRD_RANK_MAX];
} crd__kernel_reduction;

void crd__kernel_reduce_back(unsigned threads, const crd__kernel_reduction *r, const float *x,
                             const float *y, const float *dy, float *ties, float *dx);

#endif

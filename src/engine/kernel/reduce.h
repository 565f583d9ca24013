/* reduce.h -- sums, means, products and extremes over any of the dimensions. */
#ifndef CRD_ENGINE_KERNEL_REDUCE_H
#define CRD_ENGINE_KERNEL_REDUCE_H

#include "credence/tensor.h"

#include <stdbool.h>

typedef enum { CRD__SUM, CRD__MEAN, CRD__PROD, CRD__MAX, CRD__MIN } crd__kernel_reduce_id;

/* x in C order; y in C order has the dimensions that `reduced` is false for. Singles are summed in
 * short runs of singles, these in doubles; what is no real number wraps, and a mean of integers is
 * cut towards 0. Of nothing: 0, NaN (integers: 0), 1, -infinity, infinity (integers: the last one).
 */
void crd__kernel_reduce_axes(unsigned threads, crd__kernel_reduce_id id, crd_dtype dtype,
                             size_t rank, const int64_t *dims, const bool *reduced, const void *x,
                             void *y);

/* Back through a sum, a mean or a maximum of singles; equal maxima share, as torch.amax has it. x,
 * y and `ties` (room for as many numbers as y has) are for maxima only. */
typedef struct {
  crd__kernel_reduce_id id;
  size_t rank;
  int64_t dims[CRD_RANK_MAX];
  bool reduced[CRD_RANK_MAX];
} crd__kernel_reduction;

void crd__kernel_reduce_back(unsigned threads, const crd__kernel_reduction *r, const float *x,
                             const float *y, const float *dy, float *ties, float *dx);

#endif

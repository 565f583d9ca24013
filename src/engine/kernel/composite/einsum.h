/*
 * einsum.h -- sums of products of elements over shared indices (Einstein's convention):
 *
 *   y[i ...] = sum over the other indices of a[...] b[...] c[...]
 */
#ifndef CRD_ENGINE_KERNEL_COMPOSITE_EINSUM_H
#define CRD_ENGINE_KERNEL_COMPOSITE_EINSUM_H

#include "credence/array.h"

enum { CRD__EINSUM_FACTORS = 3, CRD__EINSUM_INDICES = 24 };

/* The indices of the result come first; the others are summed over. A stride is 0 where a factor
 * does not depend on the index; all are in elements. */
typedef struct {
  crd_dtype dtype;
  size_t factors, kept, indices; /* at least 1 factor */
  size_t size[CRD__EINSUM_INDICES];
  ptrdiff_t stride[CRD__EINSUM_FACTORS][CRD__EINSUM_INDICES];
  ptrdiff_t result[CRD__EINSUM_INDICES]; /* strides of y */
  size_t zeros; /* number of elements of y, if the indices reach only some; the others are 0 */
} crd__kernel_einsum;

/* Computes y. Floats are summed in double in a fixed order, integers wrap. */
void crd__kernel_einsum_run(unsigned threads, const crd__kernel_einsum *e,
                            const void *const factors[CRD__EINSUM_FACTORS], void *y);

#endif

/* hardmax.h -- the first maximum of a vector as a vector of 0 and 1. */
#ifndef CRD_ENGINE_KERNEL_HARDMAX_H
#define CRD_ENGINE_KERNEL_HARDMAX_H

#include "credence/array.h"

/* Compute 1 for the first maximum along the middle of outer x n x inner elements of a
 * floating-point type, 0 for the others; NaN is larger than anything. y may be x. */
void crd__kernel_hardmax(unsigned threads, crd_dtype dtype, size_t outer, size_t n, size_t inner,
                         const void *x, void *y);

#endif

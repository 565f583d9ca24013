/* copy.h -- elements of any kind from one arrangement into another: what Transpose, Slice, Concat,
 * Split, Pad and Expand do, and back. */
#ifndef CRD_ENGINE_KERNEL_COPY_H
#define CRD_ENGINE_KERNEL_COPY_H

#include "credence/tensor.h"

/* Strides are in elements; 0 in `src_strides` repeats, and NULL is C order. The arrays must not
 * overlap. `size` is that of an element: 1, 2, 4 or 8. */
void crd__kernel_copy(unsigned threads, size_t size, size_t rank, const int64_t *dims, void *dst,
                      const int64_t *dst_strides, const void *src, const int64_t *src_strides);

/* Every element becomes a copy of `value`. */
void crd__kernel_fill(unsigned threads, size_t size, size_t rank, const int64_t *dims, void *dst,
                      const int64_t *dst_strides, const void *value);

/* dst += src, singles; no element of dst twice, and src apart from it. */
void crd__kernel_add_onto(unsigned threads, size_t rank, const int64_t *dims, float *dst,
                          const int64_t *dst_strides, const float *src, const int64_t *src_strides);

#endif

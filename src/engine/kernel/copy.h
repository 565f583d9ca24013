/* copy.h -- strided copies of elements of any type: for Transpose, Slice, Concat, Split, Pad and
 * Expand, forward and backward. */
#ifndef CRD_ENGINE_KERNEL_COPY_H
#define CRD_ENGINE_KERNEL_COPY_H

#include "credence/array.h"

/* Copy. Strides are in elements; a stride of 0 in `src_strides` broadcasts, and NULL means C order.
 * The arrays must not overlap. `size` is that of an element: 1, 2, 4 or 8. */
void crd__kernel_copy(unsigned threads, size_t size, size_t rank, const int64_t *dims, void *dst,
                      const int64_t *dst_strides, const void *src, const int64_t *src_strides);

/* Set every element to `value`. */
void crd__kernel_fill(unsigned threads, size_t size, size_t rank, const int64_t *dims, void *dst,
                      const int64_t *dst_strides, const void *value);

/* Add src to dst, in float32; dst has no repeated elements and does not overlap src. */
void crd__kernel_add_onto(unsigned threads, size_t rank, const int64_t *dims, float *dst,
                          const int64_t *dst_strides, const float *src, const int64_t *src_strides);

#endif

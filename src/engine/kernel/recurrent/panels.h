/*
 * panels.h -- float32 matrix products c += a b with a matrix b that is packed once and used often,
 * such as the weights of a recurrent layer.
 *
 * oneDNN would pack it anew, or choose another order of its sums for another number of threads.
 * Packed, b is a list of panels of CRD__F32_PANEL columns each, row by row, the last one padded
 * with zeros. The sums are those of f32.h (`product`): the same bits for every instruction set and
 * number of threads, and however the rows of a are divided.
 */
#ifndef CRD_ENGINE_KERNEL_RECURRENT_PANELS_H
#define CRD_ENGINE_KERNEL_RECURRENT_PANELS_H

#include "engine/kernel/f32.h"

/* A packed matrix of depth x columns. */
typedef struct {
  size_t depth, columns;
  const float *at;
} crd__kernel_panels;

/* Return the number of elements that a packed matrix has. */
size_t crd__kernel_panels_size(size_t depth, size_t columns);
/* Pack the matrix whose element (k, j) is b[k * row + j * column] into `to`. */
crd__kernel_panels crd__kernel_panels_pack(unsigned threads, size_t depth, size_t columns,
                                           const float *b, size_t row, size_t column, float *to);
/* Compute c += a b: element (i, k) of a is a[i * row + k * column], and the rows of c are `step`
 * elements apart. */
void crd__kernel_panels_add(unsigned threads, size_t rows, const crd__kernel_panels *b,
                            const float *a, size_t row, size_t column, float *c, size_t step);

#endif

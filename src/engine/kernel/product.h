/* product.h -- matrix products of any type, where oneDNN has none. */
#ifndef CRD_ENGINE_KERNEL_PRODUCT_H
#define CRD_ENGINE_KERNEL_PRODUCT_H

#include "credence/array.h"

/* A factor: its elements, and the strides of its rows and columns, in elements. */
typedef struct {
  const void *data;
  ptrdiff_t row, column;
} crd__kernel_factor;

/* Compute y, in C order, = alpha a b, with rows x inner times inner x columns. Integers wrap; alpha
 * is then truncated to an integer. */
typedef struct {
  crd_dtype dtype;
  size_t rows, inner, columns;
  double alpha;
  crd__kernel_factor a, b;
} crd__kernel_matrix_product;

void crd__kernel_matrix_product_run(unsigned threads, const crd__kernel_matrix_product *p, void *y);

/* Compute y, in C order, += beta c; the strides of c, in elements, are 0 where it is broadcast. */
typedef struct {
  crd_dtype dtype;
  size_t rows, columns;
  double beta;
  ptrdiff_t row, column;
} crd__kernel_matrix_sum;

void crd__kernel_matrix_sum_run(const crd__kernel_matrix_sum *s, const void *c, void *y);

#endif

/* product.h -- products of matrices of any type, for what oneDNN does not do. */
#ifndef CRD_ENGINE_KERNEL_PRODUCT_H
#define CRD_ENGINE_KERNEL_PRODUCT_H

#include "credence/view.h"

/* One factor: its numbers, and how far apart its rows and columns are, in elements. */
typedef struct {
  const void *data;
  ptrdiff_t row, column;
} crd__kernel_factor;

/* y, in C order, = alpha a b, with rows x inner times inner x columns. Integers wrap round; alpha
 * is then cut to an integer. */
typedef struct {
  crd_dtype dtype;
  size_t rows, inner, columns;
  double alpha;
  crd__kernel_factor a, b;
} crd__kernel_matrix_product;

void crd__kernel_matrix_product_run(unsigned threads, const crd__kernel_matrix_product *p, void *y);

/* y, in C order, += beta c; the steps of c, in elements, are 0 where it repeats. */
typedef struct {
  crd_dtype dtype;
  size_t rows, columns;
  double beta;
  ptrdiff_t row, column;
} crd__kernel_matrix_sum;

void crd__kernel_matrix_sum_run(const crd__kernel_matrix_sum *s, const void *c, void *y);

#endif

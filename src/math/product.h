/*
 * product.h -- sums of products of matrices in double, for each instruction set.
 *
 * Every element of the result is one chain of additions over the depth, in order, each product
 * fused with its sum: the cut into tiles, the instruction set and the rows around do not matter.
 */
#ifndef CRD_MATH_PRODUCT_H
#define CRD_MATH_PRODUCT_H

#include <stddef.h>

/* A matrix in memory: element (i, k) is at[i * row + k * column]. A transpose swaps the steps. */
typedef struct {
  const double *at;
  size_t row, column;
} crd__math_matrix;

/* c += a b: c is rows x columns, `step` apart by row; a is rows x depth, b is depth x columns. */
typedef void crd__math_product_fn(size_t rows, size_t columns, size_t depth, crd__math_matrix a,
                                  crd__math_matrix b, double *c, size_t step);

crd__math_product_fn crd__math_product_add;

/* What there is, fastest first, NULL past the end; for tests. */
typedef struct {
  const char *name;
  crd__math_product_fn *add;
} crd__math_product_kernel;
const crd__math_product_kernel *crd__math_product_kernel_at(size_t i);

#endif

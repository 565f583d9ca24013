/*
 * product.h -- float64 matrix products, for each instruction set.
 *
 * Every element of the result is one chain of fused multiply-adds over the depth, in order, so the
 * tiling, the instruction set and other rows do not matter.
 */
#ifndef CRD_MATH_PRODUCT_H
#define CRD_MATH_PRODUCT_H

#include <stddef.h>

/* A strided matrix: element (i, k) is at[i * row + k * column]. A transpose swaps the strides. */
typedef struct {
  const double *at;
  size_t row, column;
} crd__math_matrix;

/* Computes c += a b: c is rows x columns with row stride `step`; a is rows x depth, b depth x
 * columns. */
typedef void crd__math_product_fn(size_t rows, size_t columns, size_t depth, crd__math_matrix a,
                                  crd__math_matrix b, double *c, size_t step);

crd__math_product_fn crd__math_product_add;

/* Kernels of this build, fastest first, NULL past the end; for tests. */
typedef struct {
  const char *name;
  crd__math_product_fn *add;
} crd__math_product_kernel;
const crd__math_product_kernel *crd__math_product_kernel_at(size_t i);

#endif

/*
 * partial.h -- back through functions of two numbers, over arrays of singles that NumPy's rules
 * brought to one shape: dz times the derivative by one of them, over that shape. What was repeated
 * is summed afterwards.
 */
#ifndef CRD_ENGINE_KERNEL_PARTIAL_H
#define CRD_ENGINE_KERNEL_PARTIAL_H

#include "credence/tensor.h"

/* z = x y, x / y, x^y, and x > 0 ? x : y x (prelu). As torch has it, a power's derivative is 0 by x
 * where y is 0, and by y where x is 0 and y is not below. */
typedef enum {
  CRD__PARTIAL_MUL_X,
  CRD__PARTIAL_MUL_Y,
  CRD__PARTIAL_DIV_X,
  CRD__PARTIAL_DIV_Y,
  CRD__PARTIAL_POW_X,
  CRD__PARTIAL_POW_Y,
  CRD__PARTIAL_PRELU_X,
  CRD__PARTIAL_PRELU_Y,
  CRD__PARTIALS
} crd__kernel_partial_id;

/* out and dz are in C order; strides of x and y in elements, NULL: C order. x may be NULL where
 * only y counts (MUL_X, DIV_X), and y for MUL_Y. */
void crd__kernel_partial(unsigned threads, crd__kernel_partial_id id, size_t rank,
                         const int64_t *dims, float *out, const float *dz, const float *x,
                         const int64_t *x_strides, const float *y, const int64_t *y_strides);

#endif

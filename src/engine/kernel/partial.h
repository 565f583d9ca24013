/*
 * partial.h -- gradients of binary functions over broadcast float32 arrays: dz times the partial
 * derivative with respect to one operand, in the common shape. The sum over broadcast dimensions
 * comes later.
 */
#ifndef CRD_ENGINE_KERNEL_PARTIAL_H
#define CRD_ENGINE_KERNEL_PARTIAL_H

#include "credence/array.h"

/* z = x y, x / y, x^y, x > 0 ? x : y x (prelu), and the remainder of x / y with the sign of y (mod)
 * or of x (fmod). As in PyTorch, the derivative of x^y with
 * respect to x is 0 if y is 0, and with respect to y is 0 if x is 0 and y >= 0. */
typedef enum {
  CRD__PARTIAL_MUL_X,
  CRD__PARTIAL_MUL_Y,
  CRD__PARTIAL_DIV_X,
  CRD__PARTIAL_DIV_Y,
  CRD__PARTIAL_POW_X,
  CRD__PARTIAL_POW_Y,
  CRD__PARTIAL_PRELU_X,
  CRD__PARTIAL_PRELU_Y,
  CRD__PARTIAL_MOD_Y,
  CRD__PARTIAL_FMOD_Y,
  CRD__PARTIALS
} crd__kernel_partial_id;

/* out and dz are in C order; strides of x and y in elements, NULL: C order. x may be NULL if only y
 * is read (MUL_X, DIV_X), and y for MUL_Y. */
void crd__kernel_partial(unsigned threads, crd__kernel_partial_id id, size_t rank,
                         const int64_t *dims, float *out, const float *dz, const float *x,
                         const int64_t *x_strides, const float *y, const int64_t *y_strides);

#endif

/* norm.h -- layer normalization, root mean square normalization and softmax. */
#ifndef CRD_ENGINE_KERNEL_NORM_H
#define CRD_ENGINE_KERNEL_NORM_H

#include "credence/array.h"

#include <stdbool.h>

/* y = (x - mean) / sqrt(variance + epsilon) scale + shift for each of `rows` vectors of n > 0
 * elements, of type F16, F32 or F64; the variance is computed about the vector's mean, in a second
 * pass. scale and shift have n elements of the same type. shift may be NULL; so may mean and
 * inverse (1 / sqrt(...)), float32, one for each vector. Ba, Kiros and Hinton (2016),
 * arXiv:1607.06450. With `rms` the mean counts as 0: y = x / sqrt(mean(x^2) + epsilon) scale +
 * shift. Zhang and Sennrich (2019), arXiv:1910.07467. */
typedef struct {
  crd_dtype dtype;
  size_t rows, n;
  double epsilon;
  const void *scale, *shift;
  bool rms;
} crd__kernel_layer_norm;

void crd__kernel_layer_norm_run(unsigned threads, const crd__kernel_layer_norm *l, const void *x,
                                void *y, float *mean, float *inverse);

/* The backward pass, in float32, with z = (x - mean) inverse and g = dy scale:
 *
 *   dx = inverse (g - mean(g) - z mean(g z)), with `rms` without mean(g),
 *   dscale = sum over rows of dy z,   dshift = sum over rows of dy
 *
 * Each of dx, dscale and dshift may be NULL; dx may be dy if the others are NULL. `moments` is a
 * workspace of two elements per row. */
typedef struct {
  const float *x, *dy;
  float *dx, *dscale, *dshift, *moments;
} crd__kernel_layer_norm_arrays;

void crd__kernel_layer_norm_back(unsigned threads, const crd__kernel_layer_norm *l,
                                 const crd__kernel_layer_norm_arrays *arrays);

/* Compute exp(x) / sum exp(x), or its logarithm, over the middle of outer x n x inner elements. */
void crd__kernel_softmax(unsigned threads, crd_dtype dtype, bool logarithm, size_t outer, size_t n,
                         size_t inner, const void *x, void *y);

/* Compute the gradient from y, in float32: dx = y (dy - sum dy y), or dy - exp(y) sum dy. dx may be
 * dy. */
void crd__kernel_softmax_back(unsigned threads, bool logarithm, size_t outer, size_t n,
                              size_t inner, const float *y, const float *dy, float *dx);

#endif

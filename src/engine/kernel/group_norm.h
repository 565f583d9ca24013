/*
 * group_norm.h -- group normalization; with one channel per group, instance normalization.
 *
 *   y = (x - mean) / sqrt(variance + epsilon) scale + shift
 *
 * with mean and variance over all elements of a group of channels of one sample. Wu and He (2018),
 * arXiv:1803.08494; Ulyanov, Vedaldi and Lempitsky (2016), arXiv:1607.08022.
 */
#ifndef CRD_ENGINE_KERNEL_GROUP_NORM_H
#define CRD_ENGINE_KERNEL_GROUP_NORM_H

#include "credence/array.h"

#include <stdbool.h>

/* x is batch x groups x per x inner: `per` channels in each group, of `inner` elements, of type
 * F16, F32 or F64. scale and shift, of the same type, have one element for each channel, or with
 * `shared` for each group. */
typedef struct {
  crd_dtype dtype;
  size_t batch, groups, per, inner;
  bool shared;
  double epsilon;
  const void *scale, *shift;
} crd__kernel_group_norm;

void crd__kernel_group_norm_run(unsigned threads, const crd__kernel_group_norm *g, const void *x,
                                void *y);

/* The backward pass, in float32, with z = (x - mean) inverse and g = dy scale:
 *
 *   dx = inverse (g - mean(g) - z mean(g z)),   dscale = sum of dy z,   dshift = sum of dy
 *
 * Each of dx, dscale and dshift may be NULL; dx may be dy. `sums` is a workspace of two elements
 * for each channel of each sample. */
typedef struct {
  const float *x, *dy;
  float *dx, *dscale, *dshift, *sums;
} crd__kernel_group_norm_arrays;

void crd__kernel_group_norm_back(unsigned threads, const crd__kernel_group_norm *g,
                                 const crd__kernel_group_norm_arrays *arrays);

#endif

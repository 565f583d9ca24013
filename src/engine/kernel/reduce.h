/*
 * reduce.h -- sums, means, products, maxima, minima and functions of sums over any of the
 * dimensions:
 *
 *   L1  sum |x|    L2  sqrt(sum x^2)    SUM_SQUARE  sum x^2
 *   LOG_SUM  log(sum x)    LOG_SUM_EXP  log(sum exp(x)), without overflow
 */
#ifndef CRD_ENGINE_KERNEL_REDUCE_H
#define CRD_ENGINE_KERNEL_REDUCE_H

#include "credence/array.h"

#include <stdbool.h>

typedef enum {
  CRD__SUM,
  CRD__MEAN,
  CRD__PROD,
  CRD__MAX,
  CRD__MIN,
  CRD__L1,
  CRD__L2,
  CRD__SUM_SQUARE,
  CRD__LOG_SUM,
  CRD__LOG_SUM_EXP,
  CRD__REDUCTIONS
} crd__kernel_reduce_id;

/* Reduce x, in C order; y, in C order, has the dimensions for which `reduced` is false. float32 is
 * summed in short runs of float32, and these in float64; integers wrap, and their mean is
 * truncated. Without elements: 0, NaN (integers: 0), 1, -infinity, infinity (integers: their
 * limits), 0, 0, 0, -infinity, -infinity. L2, LOG_SUM and LOG_SUM_EXP are for floating-point types;
 * bool has maxima and minima only. */
void crd__kernel_reduce_axes(unsigned threads, crd__kernel_reduce_id id, crd_dtype dtype,
                             size_t rank, const int64_t *dims, const bool *reduced, const void *x,
                             void *y);

/* The backward pass in float32. Equal maxima or minima share the gradient, as in torch.amax; the
 * derivative of L2 at 0 is 0, and so is that of L1. */
typedef struct {
  crd__kernel_reduce_id id;
  size_t rank;
  int64_t dims[CRD_RANK_MAX];
  bool reduced[CRD_RANK_MAX];
} crd__kernel_reduction;

/* The operands that the backward pass reads besides dy: x, y, and how many workspaces of the size
 * of y it needs. */
typedef struct {
  bool x, y;
  size_t work;
} crd__kernel_reduce_reads;
crd__kernel_reduce_reads crd__kernel_reduce_back_reads(crd__kernel_reduce_id id);

/* Operands that are not read may be NULL. */
void crd__kernel_reduce_back(unsigned threads, const crd__kernel_reduction *r, const float *x,
                             const float *y, const float *dy, float *work, float *dx);

#endif

/*
 * batch_norm.h -- batch normalization where oneDNN has none: types other than float32, and with the
 * statistics of the batch. Ioffe and Szegedy (2015), arXiv:1502.03167. For training see
 * batch_train.h.
 */
#ifndef CRD_ENGINE_KERNEL_BATCH_NORM_H
#define CRD_ENGINE_KERNEL_BATCH_NORM_H

#include "credence/array.h"

#include <stdbool.h>

/* y = (x - mean[c]) / sqrt(variance[c] + epsilon) scale[c] + shift[c] over batch x channels x space
 * elements of a floating-point type. With `own`, mean and variance are those of the batch (divided
 * by n, not n - 1), and running = momentum given + (1 - momentum) own, if not NULL. */
typedef struct {
  crd_dtype dtype, scale_type, mean_type; /* of x and y; of scale and shift; of statistics */
  size_t batch, channels, space;
  double epsilon, momentum;
  bool own;
} crd__kernel_batch_norm;

typedef struct {
  const void *x, *scale, *shift, *mean, *variance;
  void *y, *running_mean, *running_variance; /* running statistics may be NULL */
} crd__kernel_batch_norm_arrays;

void crd__kernel_batch_norm_run(unsigned threads, const crd__kernel_batch_norm *b,
                                const crd__kernel_batch_norm_arrays *arrays);

#endif

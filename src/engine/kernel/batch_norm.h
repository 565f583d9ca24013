/*
 * batch_norm.h -- channels brought to mean 0 and variance 1, for what oneDNN does not do: other
 * types than singles, and the statistics of the batch itself. Ioffe and Szegedy (2015),
 * arXiv:1502.03167. For training there is batch_train.h.
 */
#ifndef CRD_ENGINE_KERNEL_BATCH_NORM_H
#define CRD_ENGINE_KERNEL_BATCH_NORM_H

#include "credence/view.h"

#include <stdbool.h>

/* y = (x - mean[c]) / sqrt(variance[c] + epsilon) scale[c] + shift[c] over batch x channels x space
 * real numbers. With `own`, mean and variance are those of the batch (with n, not n - 1, below),
 * and running = momentum given + (1 - momentum) own, where it is wanted. */
typedef struct {
  crd_dtype dtype, scale_type, mean_type; /* of x and y; of scale and shift; of statistics */
  size_t batch, channels, space;
  double epsilon, momentum;
  bool own;
} crd__kernel_batch_norm;

typedef struct {
  const void *x, *scale, *shift, *mean, *variance;
  void *y, *running_mean, *running_variance; /* the running ones may be NULL */
} crd__kernel_batch_norm_arrays;

void crd__kernel_batch_norm_run(unsigned threads, const crd__kernel_batch_norm *b,
                                const crd__kernel_batch_norm_arrays *arrays);

#endif

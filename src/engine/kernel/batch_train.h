/*
 * batch_train.h -- batch normalization in training, with the statistics of the batch: forward and
 * backward, fused with the operations that often follow.
 *
 *   y = max(scale (x - mean) / sqrt(variance + epsilon) + shift + addend, 0)
 *
 * Both passes read memory twice: for the sums of each channel, then to compute the result. oneDNN
 * has no addend, and sums in float32; here sums are in float64 and relative to the first value of
 * the channel, so that squares do not cancel. Results do not depend on the number of threads.
 *   Ioffe, Szegedy: Batch normalization. ICML 2015, arXiv:1502.03167.
 */
#ifndef CRD_ENGINE_KERNEL_BATCH_TRAIN_H
#define CRD_ENGINE_KERNEL_BATCH_TRAIN_H

#include <stdbool.h>
#include <stddef.h>

/* The layout of channels: outer x blocks x inner x lanes elements; block and lane give channel
 * block * lanes + lane. In C order lanes is 1; it divides 16. Beyond `channels` the last block is
 * padded with zeros, and stays so. */
typedef struct {
  size_t outer, blocks, inner, lanes, channels;
} crd__kernel_channels;

typedef struct {
  crd__kernel_channels layout;
  double epsilon;
  bool relu;
} crd__kernel_batch_train;

/* Return the size of the workspace, in doubles. */
size_t crd__kernel_batch_train_workspace(const crd__kernel_channels *layout);

typedef struct {
  const float *x, *scale, *shift;
  const float *addend;    /* NULL: none; may be y */
  float *y;               /* must not be x, which the backward pass reads */
  float *mean, *variance; /* of the batch, divided by n, not n - 1 */
  double *workspace;
} crd__kernel_batch_train_arrays;

void crd__kernel_batch_train_run(unsigned threads, const crd__kernel_batch_train *b,
                                 const crd__kernel_batch_train_arrays *arrays);

/* With g = dy (with relu, 0 where y <= 0) and z = (x - mean) / sqrt(variance + epsilon):
 *
 *   dx = scale / sqrt(variance + epsilon) (g - mean(g) - z mean(g z)),
 *   dscale = sum g z,   dshift = sum g,   daddend = g */
typedef struct {
  const float *x, *scale, *shift, *mean, *variance, *dy;
  const float
      *y; /* NULL without relu or without an addend: the sign of y is then computed from x */
  float *daddend; /* NULL: not needed, or equal to dy (without relu); may be dy */
  float *dx;      /* may be dy if daddend is NULL */
  float *dscale, *dshift;
  double *workspace;
} crd__kernel_batch_train_gradients;

void crd__kernel_batch_train_back(unsigned threads, const crd__kernel_batch_train *b,
                                  const crd__kernel_batch_train_gradients *arrays);

#endif

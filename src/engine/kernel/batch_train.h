/*
 * batch_train.h -- channels brought to mean 0 and variance 1 by the statistics of the batch itself,
 * in training: forward and back, with what often follows, in one go.
 *
 *   y = max(scale (x - mean) / sqrt(variance + epsilon) + shift + addend, 0)
 *
 * Both ways read memory twice: once for the sums of each channel, once to make the result. oneDNN
 * has this without the addend, and its sums are of singles; here they are of doubles, relative to
 * the first number of the channel, so that squares do not cancel. The same bits come out for any
 * number of threads.
 *   Ioffe, Szegedy: Batch normalization. ICML 2015, arXiv:1502.03167.
 */
#ifndef CRD_ENGINE_KERNEL_BATCH_TRAIN_H
#define CRD_ENGINE_KERNEL_BATCH_TRAIN_H

#include <stdbool.h>
#include <stddef.h>

/* How channels lie: outer x blocks x inner x lanes numbers, of which those of one block and lane
 * are channel block * lanes + lane. In C order lanes is 1; it divides 16. Beyond `channels` the
 * last block is filled with zeros, and stays so. */
typedef struct {
  size_t outer, blocks, inner, lanes, channels;
} crd__kernel_channels;

typedef struct {
  crd__kernel_channels lie;
  double epsilon;
  bool relu;
} crd__kernel_batch_train;

/* So many doubles are needed as `room`. */
size_t crd__kernel_batch_train_workspace(const crd__kernel_channels *lie);

typedef struct {
  const float *x, *scale, *shift;
  const float *addend;    /* NULL: none; may be y */
  float *y;               /* not x, which is read again on the way back */
  float *mean, *variance; /* of the batch, with n, not n - 1, below */
  double *room;
} crd__kernel_batch_train_arrays;

void crd__kernel_batch_train_run(unsigned threads, const crd__kernel_batch_train *b,
                                 const crd__kernel_batch_train_arrays *arrays);

/* With g = dy, or 0 where y is not above 0, and z = (x - mean) / sqrt(variance + epsilon):
 *
 *   dx = scale / sqrt(variance + epsilon) (g - mean(g) - z mean(g z)),
 *   dscale = sum g z,   dshift = sum g,   daddend = g
 */
typedef struct {
  const float *x, *scale, *shift, *mean, *variance, *dy;
  const float *y; /* NULL without relu, or without an addend: x tells where it is above 0 */
  float *daddend; /* NULL: not wanted, or dy as it is (without relu); may be dy */
  float *dx;      /* may be dy, where daddend is NULL */
  float *dscale, *dshift;
  double *room;
} crd__kernel_batch_train_gradients;

void crd__kernel_batch_train_back(unsigned threads, const crd__kernel_batch_train *b,
                                  const crd__kernel_batch_train_gradients *arrays);

#endif

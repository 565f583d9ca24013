/*
 * dropout.h -- numbers dropped at random, the others made larger by 1 / (1 - ratio). Srivastava et
 * al. (2014), JMLR 15.
 *
 * Which ones is a function of (seed, node, run, element), four elements to a block of Philox
 * (base/random.h): no mask is kept, any number of threads draws the same one, and the way back is
 * the same call with the gradient.
 */
#ifndef CRD_ENGINE_KERNEL_DROPOUT_H
#define CRD_ENGINE_KERNEL_DROPOUT_H

#include "credence/view.h"

#include <stdbool.h>

typedef struct {
  uint64_t seed;
  uint32_t node, run;
  double ratio; /* 0 to below 1 */
} crd__kernel_dropout;

/* y may be x. */
void crd__kernel_dropout_run(unsigned threads, const crd__kernel_dropout *d, size_t n,
                             const float *x, float *y);
/* 1 where a number stays. */
void crd__kernel_dropout_mask(unsigned threads, const crd__kernel_dropout *d, size_t n,
                              unsigned char *mask);

#endif

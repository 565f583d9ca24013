/*
 * dropout.h -- dropout: sets elements to 0 at random and scales the others by 1 / (1 - ratio).
 * Srivastava et al. (2014), JMLR 15.
 *
 * The mask is a function of (seed, node, run, element), four elements to a block of Philox
 * (base/random.h). So no mask is stored, it does not depend on the number of threads, and the
 * backward pass is the same call on the gradient.
 */
#ifndef CRD_ENGINE_KERNEL_DROPOUT_H
#define CRD_ENGINE_KERNEL_DROPOUT_H

#include "credence/array.h"

#include <stdbool.h>

typedef struct {
  uint64_t seed;
  uint32_t node, run;
  double ratio; /* at least 0, below 1 */
} crd__kernel_dropout;

/* y may be x. */
void crd__kernel_dropout_run(unsigned threads, const crd__kernel_dropout *d, size_t n,
                             const float *x, float *y);
/* Set the mask: 1 for elements that are kept. */
void crd__kernel_dropout_mask(unsigned threads, const crd__kernel_dropout *d, size_t n,
                              unsigned char *mask);

#endif

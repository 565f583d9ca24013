/*
 * ties.h -- gradients of maxima and minima over broadcast float32 arrays: dy goes to the operands
 * that equal y, in equal shares.
 */
#ifndef CRD_ENGINE_KERNEL_TIES_H
#define CRD_ENGINE_KERNEL_TIES_H

#include "credence/array.h"

#include <stdbool.h>

/* Set ties to 1 where x equals y, else to 0; with `add`, add that. y and ties are in C order, x has
 * strides in elements. */
void crd__kernel_ties_count(unsigned threads, size_t rank, const int64_t *dims, bool add,
                            const float *x, const int64_t *x_strides, const float *y, float *ties);

/* Replace the number of ties by the gradient with respect to x: dy / ties where x equals y, else
 * 0. */
void crd__kernel_ties_share(unsigned threads, size_t rank, const int64_t *dims, const float *x,
                            const int64_t *x_strides, const float *y, const float *dy, float *ties);

#endif

/* unary.h -- unary elementwise functions for arrays of any type; f32.h lists them. */
#ifndef CRD_ENGINE_KERNEL_UNARY_H
#define CRD_ENGINE_KERNEL_UNARY_H

#include "credence/array.h"
#include "engine/kernel/f32.h"

/* True if the function is defined for the type: integers have clip, neg and relu. */
bool crd__kernel_unary_takes(crd__kernel_unary_id id, crd_dtype dtype);

/* Compute y = f(x; a, b) for n elements; y may be x. Parameters: clip a..b, hard_sigmoid max(0,
 * min(1, a x + b)), leaky_relu slope a for x < 0. Integers wrap. */
void crd__kernel_unary(unsigned threads, crd__kernel_unary_id id, double a, double b,
                       crd_dtype dtype, size_t n, const void *x, void *y);

#endif

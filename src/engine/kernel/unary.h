/* unary.h -- functions of one number over arrays of any type: f32.h has their names. */
#ifndef CRD_ENGINE_KERNEL_UNARY_H
#define CRD_ENGINE_KERNEL_UNARY_H

#include "credence/view.h"
#include "engine/kernel/f32.h"

/* Whether the function is there for that type: integers have clip, neg and relu. */
bool crd__kernel_unary_takes(crd__kernel_unary_id id, crd_dtype dtype);

/* y = f(x; a, b) of n numbers; y may be x. Parameters: clip a..b, hard_sigmoid max(0, min(1, a x +
 * b)), leaky_relu a below 0. Integers wrap round. */
void crd__kernel_unary(unsigned threads, crd__kernel_unary_id id, double a, double b,
                       crd_dtype dtype, size_t n, const void *x, void *y);

#endif

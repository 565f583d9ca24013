/* unary.h -- unary elementwise functions for arrays of any type; f32.h lists them. */
#ifndef CRD_ENGINE_KERNEL_UNARY_H
#define CRD_ENGINE_KERNEL_UNARY_H

#include "credence/array.h"
#include "engine/kernel/f32.h"

/* True if the function is defined for the type: integers have abs, clip, neg, relu and sign. */
bool crd__kernel_unary_takes(crd__kernel_unary_id id, crd_dtype dtype);

/* Compute y = f(x; a, b) for n elements; y may be x. Integers wrap. Functions with parameters:
 *
 *   clip          to a..b                        selu              b elu(x; a)
 *   hard_sigmoid  max(0, min(1, a x + b))        celu, a > 0       x, below 0 a (exp(x / a) - 1)
 *   leaky_relu    x, below 0 a x                 swish             x sigmoid(a x)
 *   elu           x, below 0 a (exp(x) - 1)      thresholded_relu  x if x > a, else 0
 *   shrink        0 in -a..a, beyond it x moved by b towards 0 */
void crd__kernel_unary(unsigned threads, crd__kernel_unary_id id, double a, double b,
                       crd_dtype dtype, size_t n, const void *x, void *y);

#endif

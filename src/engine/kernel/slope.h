/*
 * slope.h -- gradients of the unary functions (f32.h): dx = dy f'(x), in float32.
 *
 * At a kink the derivative is that of PyTorch: 0 for relu, a for leaky_relu, 0 for abs, 1 for clip
 * (from x; from y, which does not distinguish a bound from a clipped value, 0).
 */
#ifndef CRD_ENGINE_KERNEL_SLOPE_H
#define CRD_ENGINE_KERNEL_SLOPE_H

#include "engine/kernel/f32.h"

/* True if the derivative can be computed from y = f(x); from x it always can. */
bool crd__kernel_slope_from_y(crd__kernel_unary_id id, double a);

/* Compute dx. `given` is x or, with `from_y`, y. dx may be dy or `given`. Parameters as in
 * unary.h. */
void crd__kernel_slope(unsigned threads, crd__kernel_unary_id id, double a, double b, bool from_y,
                       size_t n, const float *given, const float *dy, float *dx);

#endif

/*
 * slope.h -- back through the functions of one number (f32.h): dx = dy f'(x), of singles.
 *
 * Where a function has a kink, the slope there is that of torch: 0 for relu, a for leaky_relu, 1
 * for clip (known from x; from y, which does not tell a bound from what was cut there, 0).
 */
#ifndef CRD_ENGINE_KERNEL_SLOPE_H
#define CRD_ENGINE_KERNEL_SLOPE_H

#include "engine/kernel/f32.h"

/* Whether y = f(x) is enough; x always is. */
bool crd__kernel_slope_from_y(crd__kernel_unary_id id, double a);

/* `given` is x or, with `from_y`, y. dx may be dy or `given`. Parameters as in unary.h. */
void crd__kernel_slope(unsigned threads, crd__kernel_unary_id id, double a, double b, bool from_y,
                       size_t n, const float *given, const float *dy, float *dx);

#endif

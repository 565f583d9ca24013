/*
 * activation.h -- activation functions of the gates of recurrent layers, and their derivatives.
 *
 *   y = out f(in clip(x)) + shift
 *
 * with f of f32.h: `in`, `out` and `shift` make Affine and ScaledTanh of ONNX out of the identity
 * and of tanh. clip bounds its argument to -limit .. limit; its derivative is 1 at the bounds.
 */
#ifndef CRD_ENGINE_KERNEL_RECURRENT_ACTIVATION_H
#define CRD_ENGINE_KERNEL_RECURRENT_ACTIVATION_H

#include "engine/kernel/f32.h"

typedef struct {
  crd__kernel_unary_id id;
  double a, b; /* parameters of f, as in unary.h */
  double in, out, shift;
} crd__kernel_activation;

/* Compute y for n elements; y may be x. `limit` is INFINITY if nothing is clipped. */
void crd__kernel_activation_f32(const crd__kernel_activation *f, double limit, size_t n,
                                const float *x, float *y);
void crd__kernel_activation_f64(const crd__kernel_activation *f, double limit, size_t n,
                                const double *x, double *y);
/* Compute dx = dy times the derivative at x; dx may be dy or x. */
void crd__kernel_activation_slope(const crd__kernel_activation *f, double limit, size_t n,
                                  const float *x, const float *dy, float *dx);

#endif

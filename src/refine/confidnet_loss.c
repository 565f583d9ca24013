/*
 * confidnet_loss.c -- the loss of ConfidNet: with c = sigmoid(v) and weights f,
 *
 *   L = 1/n sum of f (c - p_y)^2,   dL/dv = 2/n f (c - p_y) c (1 - c).
 *
 * Corbiere et al.: Addressing failure prediction by learning model confidence (NeurIPS 2019),
 * equation 4.
 */
#include "refine/confidnet.h"

#include <math.h>

double crd__refine_sigmoid(double v) {
  const double e = exp(-fabs(v)); /* at most 1: nothing overflows */
  return v < 0 ? e / (1 + e) : 1 / (1 + e);
}

double crd__refine_loss(const float *v, const float *p, const double *f, size_t rows,
                        float *gradient) {
  double sum = 0;
  for (size_t i = 0; i < rows; i++) {
    const double c = crd__refine_sigmoid((double)v[i]), error = c - (double)p[i];
    const double rest = crd__refine_sigmoid(-(double)v[i]); /* 1 - c, without cancellation */
    sum += f[i] * error * error;
    if (gradient) gradient[i] = (float)(2 / (double)rows * f[i] * error * c * rest);
  }
  return sum;
}

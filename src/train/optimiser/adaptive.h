/*
 * adaptive.h -- the step that Adam and AdamW share, as torch.optim does it:
 *
 *   m <- beta1 m + (1 - beta1) g;  v <- beta2 v + (1 - beta2) g^2
 *   p <- p - rate / (1 - beta1^t) m / (sqrt(v) / sqrt(1 - beta2^t) + epsilon)
 *
 * They differ in where the weight decay enters: `penalty` is added to g as an L2 penalty, `shrink`
 * multiplies p beforehand.
 */
#ifndef CRD_TRAIN_OPTIMISER_ADAPTIVE_H
#define CRD_TRAIN_OPTIMISER_ADAPTIVE_H

#include "train/optimiser.h"

#include <math.h>

enum { CRD__TRAIN_BETA1 = CRD__TRAIN_OWN, CRD__TRAIN_BETA2, CRD__TRAIN_EPSILON };
#define CRD__TRAIN_ADAPTIVE_SETTINGS                                                               \
  { .name = "beta1",                                                                               \
    .help = "decay of the mean of gradients",                                                      \
    .standard = "0.9",                                                                             \
    .low = 0,                                                                                      \
    .high = 0.999999 },                                                                            \
      { .name = "beta2",                                                                           \
        .help = "decay of the mean of their squares",                                              \
        .standard = "0.999",                                                                       \
        .low = 0,                                                                                  \
        .high = 0.999999999 },                                                                     \
  {                                                                                                \
    .name = "epsilon", .help = "added to the root of the mean square", .standard = "1e-8",         \
    .low = 0, .high = 1                                                                            \
  }

static inline void crd__train_adaptive_step(const crd__train_update *u, const crd__train_span *span,
                                            double penalty, double shrink) {
  const double beta1 = u->settings[CRD__TRAIN_BETA1], beta2 = u->settings[CRD__TRAIN_BETA2];
  const double step = (double)u->step;
  const float keep1 = (float)beta1, take1 = (float)(1 - beta1);
  const float keep2 = (float)beta2, take2 = (float)(1 - beta2);
  const float rate = (float)(u->rate / (1 - pow(beta1, step)));
  const float root = (float)sqrt(1 - pow(beta2, step));
  const float epsilon = (float)u->settings[CRD__TRAIN_EPSILON];
  const float decay = (float)penalty, factor = (float)shrink, scale = u->scale;
  const float *restrict const gradient = span->gradient;
  float *restrict const values = span->values;
  float *restrict const mean = span->state[0], *restrict const square = span->state[1];
  for (size_t i = 0; i < span->count; i++) {
    const float p = values[i] * factor, g = gradient[i] * scale + decay * p;
    const float m = keep1 * mean[i] + take1 * g, v = keep2 * square[i] + take2 * g * g;
    mean[i] = m;
    square[i] = v;
    values[i] = p - rate * m / (sqrtf(v) / root + epsilon);
  }
}

#endif

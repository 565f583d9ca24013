/*
 * corrupt.h -- what corruptions share: their source, their scale, their range.
 *
 *   Hendrycks, Dietterich: Benchmarking neural network robustness to common corruptions and
 *   perturbations. ICLR 2019.
 *
 * The constants of the five severities are those of the paper's CIFAR-10-C, for images of 32 x 32.
 * Levels of noise, contrast, brightness and compression are kept for every size. Lengths in pixels
 * (radii of blur) grow with the shorter side: at 224 this comes near the paper's ImageNet-C.
 */
#ifndef CRD_DATASET_CORRUPT_CORRUPT_H
#define CRD_DATASET_CORRUPT_CORRUPT_H

#include "dataset/transform/transform.h"

#define CRD__CORRUPT_PAPER                                                                         \
  "Hendrycks, Dietterich: Benchmarking neural network robustness to common corruptions and "       \
  "perturbations (ICLR 2019)"

enum { CRD__CORRUPT_SEVERITIES = 5 };

static inline float crd__corrupt_clip(double value) {
  return value > 0 ? value < 1 ? (float)value : 1.0F : 0.0F;
}

/* Returns by how much lengths are longer than in an image of 32 x 32: at least 1. */
static inline double crd__corrupt_scale(const crd__transform_call *call) {
  const size_t side = call->height < call->width ? call->height : call->width;
  return side > 32 ? (double)side / 32 : 1;
}

/* Number of values of the image. */
static inline size_t crd__corrupt_count(const crd__transform_call *call) {
  return call->channels * call->height * call->width;
}

#endif

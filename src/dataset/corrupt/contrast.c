/* contrast.c -- lower contrast: c (x - mean) + mean, with the mean of each channel (corrupt.h). */
#include "dataset/corrupt/corrupt.h"

static crd_status contrast_apply(crd_context *ctx, const crd__transform_call *call, const float *in,
                                 float *out) {
  static const double factors[CRD__CORRUPT_SEVERITIES] = { 0.75, 0.5, 0.4, 0.3, 0.15 };
  const double factor = factors[call->severity - 1];
  const size_t area = call->height * call->width;
  (void)ctx;
  for (size_t c = 0; c < call->channels; c++) {
    const float *const plane = in + c * area;
    double sum = 0;
    for (size_t i = 0; i < area; i++) sum += (double)plane[i];
    const double mean = sum / (double)area;
    for (size_t i = 0; i < area; i++)
      out[c * area + i] = crd__corrupt_clip(((double)plane[i] - mean) * factor + mean);
  }
  return CRD_OK;
}

const crd__transform crd__corruption_contrast = {
  .info = { .name = "contrast",
            .summary = "lower contrast, by a factor of 0.75 to 0.15",
            .reference = CRD__CORRUPT_PAPER },
  .apply = contrast_apply,
};

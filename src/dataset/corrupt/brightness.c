/*
 * brightness.c -- brighter images: the value (largest channel) of every pixel grows by c
 * (corrupt.h).
 *
 *   v = max of the channels, w = min(v + c, 1): each channel is multiplied by w / v, which keeps
 * hue and saturation; a black pixel becomes grey, w.
 */
#include "dataset/corrupt/corrupt.h"

static crd_status brightness_apply(crd_context *ctx, const crd__transform_call *call,
                                   const float *in, float *out) {
  static const double steps[CRD__CORRUPT_SEVERITIES] = { 0.05, 0.1, 0.15, 0.2, 0.3 };
  const double step = steps[call->severity - 1];
  const size_t area = call->height * call->width;
  (void)ctx;
  for (size_t i = 0; i < area; i++) {
    double value = 0;
    for (size_t c = 0; c < call->channels; c++)
      value = (double)in[c * area + i] > value ? (double)in[c * area + i] : value;
    const double wanted = value + step < 1 ? value + step : 1;
    for (size_t c = 0; c < call->channels; c++)
      out[c * area + i] =
          crd__corrupt_clip(value > 0 ? (double)in[c * area + i] * (wanted / value) : wanted);
  }
  return CRD_OK;
}

const crd__transform crd__corruption_brightness = {
  .info = { .name = "brightness",
            .summary = "brighter by 0.05 to 0.3 of the range",
            .reference = CRD__CORRUPT_PAPER },
  .apply = brightness_apply,
};

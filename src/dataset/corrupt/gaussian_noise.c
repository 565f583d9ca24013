/* gaussian_noise.c -- adds normal noise to every value: sensors in poor light (corrupt.h). */
#include "dataset/corrupt/corrupt.h"

static crd_status gaussian_noise_apply(crd_context *ctx, const crd__transform_call *call,
                                       const float *in, float *out) {
  static const double deviations[CRD__CORRUPT_SEVERITIES] = { 0.04, 0.06, 0.08, 0.09, 0.10 };
  const double deviation = deviations[call->severity - 1];
  const size_t count = crd__corrupt_count(call);
  (void)ctx;
  for (size_t i = 0; i < count; i++)
    out[i] = crd__corrupt_clip((double)in[i] +
                               deviation * crd__random_normal(call->key, call->stream, i));
  return CRD_OK;
}

const crd__transform crd__corruption_gaussian_noise = {
  .info = { .name = "gaussian-noise",
            .summary = "normal noise, standard deviation 0.04 to 0.1",
            .reference = CRD__CORRUPT_PAPER },
  .apply = gaussian_noise_apply,
};

/*
 * impulse_noise.c -- salt and pepper: a fraction of all values becomes 0 or 1, each equally likely
 * (corrupt.h).
 */
#include "dataset/corrupt/corrupt.h"

static crd_status impulse_noise_apply(crd_context *ctx, const crd__transform_call *call,
                                      const float *in, float *out) {
  static const double fractions[CRD__CORRUPT_SEVERITIES] = { 0.01, 0.02, 0.03, 0.05, 0.07 };
  const double fraction = fractions[call->severity - 1];
  const size_t count = crd__corrupt_count(call);
  (void)ctx;
  for (size_t i = 0; i < count; i++) {
    const double drawn = crd__random_uniform(call->key, call->stream, i);
    out[i] = drawn >= fraction ? crd__corrupt_clip((double)in[i]) : drawn < fraction / 2 ? 0 : 1;
  }
  return CRD_OK;
}

const crd__transform crd__corruption_impulse_noise = {
  .info = { .name = "impulse-noise",
            .summary = "1 to 7 per cent of all values become 0 or 1",
            .reference = CRD__CORRUPT_PAPER },
  .apply = impulse_noise_apply,
};

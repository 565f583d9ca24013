/*
 * shot_noise.c -- noise of counted photons: out = n / c, n from the Poisson distribution of mean
 * c x, with c from 500 down to 50 photons at white (corrupt.h).
 *
 * One uniform number u gives n: outcomes are tried from the most likely one outwards, and each
 * takes its probability from u, until nothing is left. Any order of outcomes is exact; this one
 * needs about sqrt(c x) steps.
 */
#include "dataset/corrupt/corrupt.h"

#include <math.h>

/* log n!: Stirling's series, whose next term is below 1e-12 from 16 on. */
static double log_factorial(double n) {
  double sum = 0;
  if (n < 16) {
    for (unsigned k = 2; k <= (unsigned)n; k++) sum += log((double)k);
    return sum;
  }
  const double half_log_two_pi = 0.918938533204672742;
  return (n + 0.5) * log(n) - n + half_log_two_pi + 1 / (12 * n) - 1 / (360 * n * n * n) +
         1 / (1260 * pow(n, 5));
}

static double draw_poisson(double mean, double left) {
  if (mean <= 0) return 0;
  double low = floor(mean), high = low + 1;
  double p_low = exp(low * log(mean) - mean - log_factorial(low));
  double p_high = p_low * mean / high;
  while (p_low > 0 || p_high > 0) {
    if (p_low >= p_high) {
      left -= p_low;
      if (left < 0) return low;
      p_low *= low / mean; /* 0 below 0 */
      low--;
    } else {
      left -= p_high;
      if (left < 0) return high;
      high++;
      p_high *= mean / high;
    }
  }
  return high; /* the probabilities add up to less than u by rounding */
}

static crd_status shot_noise_apply(crd_context *ctx, const crd__transform_call *call,
                                   const float *in, float *out) {
  static const double photons[CRD__CORRUPT_SEVERITIES] = { 500, 250, 100, 75, 50 };
  const double most = photons[call->severity - 1];
  const size_t count = crd__corrupt_count(call);
  (void)ctx;
  for (size_t i = 0; i < count; i++) {
    const double mean = most * (double)crd__corrupt_clip((double)in[i]);
    const double drawn = crd__random_uniform(call->key, call->stream, i);
    out[i] = crd__corrupt_clip(draw_poisson(mean, drawn) / most);
  }
  return CRD_OK;
}

const crd__transform crd__corruption_shot_noise = {
  .info = { .name = "shot-noise",
            .summary = "Poisson noise of 500 to 50 photons at white",
            .reference = CRD__CORRUPT_PAPER },
  .apply = shot_noise_apply,
};

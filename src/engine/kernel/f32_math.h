/*
 * f32_math.h -- float32 exp, log, tanh, erf and functions made of them; branchless, so that loops
 * over them vectorize. Correct for infinities, NaN, subnormals and huge arguments.
 *
 * Largest errors in ulp of the result, as f32_test.c measures them:
 *
 *   exp 1    log 2    tanh 2    erf 2    sigmoid 3
 *
 * The polynomials are minimax fits (Lawson's weights), with errors below a quarter of an ulp.
 */
#ifndef CRD_ENGINE_KERNEL_F32_MATH_H
#define CRD_ENGINE_KERNEL_F32_MATH_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__GNUC__)
#define INLINE static inline __attribute__((always_inline))
#else
#define INLINE static inline
#endif

INLINE uint32_t bits_of(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

INLINE float from_bits(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* NaN stays, thanks to the order of the comparison. */
INLINE float at_most(float x, float most) { return x > most ? most : x; }
INLINE float at_least(float x, float least) { return x < least ? least : x; }

/* n / 2, rounded down, for n in two's complement. */
INLINE uint32_t halve(uint32_t n) { return (n >> 1) | (n & 0x80000000U); }

/* exp(r) - 1 = r + r^2 p(r), for |r| <= ln(2) / 2. */
INLINE float exp_near(float r) {
  float p = fmaf(0x1.6a1a8ep-10F, r, 0x1.123fb4p-7F);
  p = fmaf(p, r, 0x1.555916p-5F);
  p = fmaf(p, r, 0x1.55548ap-3F);
  p = fmaf(p, r, 0x1.fffffcp-2F);
  return fmaf(p, r * r, r);
}

/* exp(x) = 2^k exp(r), k = round(x / ln 2). Adding 1.5 * 2^23 rounds
 * and leaves k in the low bits of the sum. 2^k is applied as two factors: the result may be
 * subnormal. */
INLINE float exp_of(float x) {
  const float magic = 0x1.8p23F;
  const float near = at_most(at_least(x, -104), 89);
  const float t = fmaf(near, 0x1.715476p+0F, magic), k = t - magic;
  const float r = fmaf(k, -0x1.7f7d1cp-20F, fmaf(k, -0x1.62e4p-1F, near));
  const float p = exp_near(r);
  const uint32_t whole = bits_of(t) - 0x4b400000U, half = halve(whole);
  const float first = from_bits((half + 127) << 23);
  return fmaf(p, first, first) * from_bits((whole - half + 127) << 23);
}

/* exp(x) - 1 for x <= 0, without cancellation: 2^k (exp(r) - 1) + (2^k - 1). Below -25 it is -1. */
INLINE float exp_less_one(float x) {
  const float magic = 0x1.8p23F, near = at_least(x, -25);
  const float t = fmaf(near, 0x1.715476p+0F, magic), k = t - magic;
  const float r = fmaf(k, -0x1.7f7d1cp-20F, fmaf(k, -0x1.62e4p-1F, near));
  const float scale = from_bits((bits_of(t) - 0x4b400000U + 127) << 23);
  return fmaf(exp_near(r), scale, scale - 1);
}

/* log(2^k (1 + f)) = k ln 2 + f - f^2 / 2 + f^3 p(f), 1 + f from sqrt(1/2) to sqrt(2). */
INLINE float log_near(float f, float k) {
  const float f2 = f * f;
  float p = fmaf(0x1.14ca34p-4F, f, -0x1.defffap-4F);
  p = fmaf(p, f, 0x1.e72888p-4F);
  p = fmaf(p, f, -0x1.fc07c4p-4F);
  p = fmaf(p, f, 0x1.23322cp-3F);
  p = fmaf(p, f, -0x1.555cccp-3F);
  p = fmaf(p, f, 0x1.99a4f6p-3F);
  p = fmaf(p, f, -0x1.000006p-2F);
  p = fmaf(p, f, 0x1.555546p-2F);
  const float rest = fmaf(-0.5F, f2, fmaf(p, f * f2, k * -0x1.05c610p-29F));
  return fmaf(k, 0x1.62e430p-1F, f + rest);
}

INLINE float log_of(float x) {
  const float scaled = x < 0x1p-126F ? x * 0x1p23F : x;
  const float shift = x < 0x1p-126F ? 23 : 0;
  const uint32_t above = bits_of(scaled) - 0x3f3504f3U; /* sqrt(1/2) */
  const uint32_t exponent = (above >> 23) | (above & 0x80000000U ? 0xfffffe00U : 0);
  const float k = (float)(int32_t)exponent - shift;
  const float y = log_near(from_bits(bits_of(scaled) - (exponent << 23)) - 1, k);
  const float special = x == 0 ? -INFINITY : x > 0 ? x : NAN;
  return x > 0 && x < INFINITY ? y : special;
}

/* log(1 + x) for 0 <= x <= 1. */
INLINE float log_one_more(float x) {
  const bool upper = x > 0x1.a82799p-2F; /* sqrt(2) - 1 */
  return log_near(upper ? 0.5F * (x - 1) : x, upper ? 1 : 0);
}

/* For small x, x + x^3 p(x^2), else 1 - 2 / (exp(2x) + 1). */
INLINE float tanh_of(float x) {
  const float size = fabsf(x), s = x * x;
  float p = fmaf(-0x1.75e1cep-8F, s, 0x1.52269cp-6F);
  p = fmaf(p, s, -0x1.b83c5ap-5F);
  p = fmaf(p, s, 0x1.110726p-3F);
  p = fmaf(p, s, -0x1.555532p-2F);
  const float small = fmaf(p, size * s, size), large = 1 - 2 / (exp_of(2 * size) + 1);
  return copysignf(size > 0.625F ? large : small, x);
}

/* Where erf changes its approximation. */
static const float erf_small = 0.9375F;

/* erf(x) = x + x p(x^2), up to erf_small. */
INLINE float erf_near(float x) {
  const float s = x * x;
  float p = fmaf(0x1.5ac336p-14F, s, -0x1.a99ef8p-11F);
  p = fmaf(p, s, 0x1.54b5e4p-8F);
  p = fmaf(p, s, -0x1.b80cb4p-6F);
  p = fmaf(p, s, 0x1.ce2df4p-4F);
  p = fmaf(p, s, -0x1.812742p-2F);
  p = fmaf(p, s, 0x1.06eba8p-3F);
  return fmaf(p, x, x);
}

/* 1 - erf(t) = exp(t p(t) - t), from erf_small on; 0 from 10.06 on. */
INLINE float erfc_far(float size) {
  const float t = at_most(size, 10.0625F);
  float p = fmaf(-0x1.1a4338p-25F, t, 0x1.c83eccp-20F);
  p = fmaf(p, t, -0x1.41a366p-15F);
  p = fmaf(p, t, 0x1.05fcacp-11F);
  p = fmaf(p, t, -0x1.14b2b2p-8F);
  p = fmaf(p, t, 0x1.963828p-6F);
  p = fmaf(p, t, -0x1.b73f46p-4F);
  p = fmaf(p, t, -0x1.44f23cp-1F);
  p = fmaf(p, t, -0x1.07a9a6p-3F);
  return exp_of(fmaf(p, t, -t));
}

INLINE float erf_of(float x) {
  const float size = fabsf(x), far = copysignf(1 - erfc_far(size), x);
  return size > erf_small ? far : erf_near(x);
}

INLINE float sigmoid_of(float x) {
  const float e = exp_of(-fabsf(x));
  return (x < 0 ? e : 1) / (1 + e);
}

/* x (1 + erf(x / sqrt(2))) / 2, without cancellation for x < 0: Hendrycks and Gimpel (2016),
 * arXiv:1606.08415. */
INLINE float gelu_of(float x) {
  const float u = x * 0x1.6a09e6p-1F, size = fabsf(u), tail = 0.5F * erfc_far(size);
  const float far = u < 0 ? tail : 1 - tail, near = fmaf(0.5F, erf_near(u), 0.5F);
  return x * (size > erf_small ? far : near);
}

/* x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2; (1 + tanh(u)) / 2 is the sigmoid of 2u. */
INLINE float gelu_tanh_of(float x) {
  return x * sigmoid_of(0x1.988454p+0F * fmaf(0.044715F * x, x * x, x));
}

/* log(1 + exp(x)), without overflow. */
INLINE float softplus_of(float x) { return at_least(x, 0) + log_one_more(exp_of(-fabsf(x))); }

/* tanh(log(1 + exp(x))) = (u^2 - 1) / (u^2 + 1) with u = 1 + exp(x), as a fraction; for x > 0
 * divided by exp(2x). */
typedef struct {
  float above, below, rest; /* numerator, denominator, their difference */
} mish_parts;

INLINE mish_parts mish_parts_of(float x) {
  const float e = exp_of(-fabsf(x)), above = x > 0 ? fmaf(2, e, 1) : e * (e + 2);
  const float rest = x > 0 ? 2 * e * e : 2;
  return (mish_parts){ above, above + rest, rest };
}

/* x tanh(log(1 + exp(x))): Misra (2019), arXiv:1908.08681. */
INLINE float mish_of(float x) {
  const mish_parts m = mish_parts_of(x);
  return x * (m.above / m.below);
}

/* ---- Derivatives. From x, as 1 - y would lose digits that e = exp(-|x|) still has. */

INLINE float sigmoid_slope_of(float x) {
  const float e = exp_of(-fabsf(x));
  return e / ((1 + e) * (1 + e));
}

INLINE float tanh_slope_of(float x) {
  const float e = exp_of(-2 * fabsf(x));
  return 4 * e / ((1 + e) * (1 + e));
}

/* With t = above / below: t + x (1 - t^2) sigmoid(x). The second term is 0 beyond 64. */
INLINE float mish_slope_of(float x) {
  const mish_parts m = mish_parts_of(x);
  const float z = at_most(at_least(x, -104), 64), t = m.above / m.below;
  return fmaf(z * (m.rest / m.below) * (1 + t), sigmoid_of(z), t);
}

/* s + a x s (1 - s), with s the sigmoid of a x. */
INLINE float swish_slope_of(float x, float a) {
  const float u = at_most(at_least(a * x, -104), 104);
  return fmaf(u, sigmoid_slope_of(u), sigmoid_of(u));
}

/* Phi(x) + x phi(x); the second term is 0 beyond 16. */
INLINE float gelu_slope_of(float x) {
  const float u = x * 0x1.6a09e6p-1F, size = fabsf(u), tail = 0.5F * erfc_far(size);
  const float far = u < 0 ? tail : 1 - tail, near = fmaf(0.5F, erf_near(u), 0.5F);
  const float z = at_most(at_least(x, -16), 16);
  return fmaf(z * 0x1.988454p-2F, exp_of(-0.5F * z * z), size > erf_small ? far : near);
}

/* With s the sigmoid of v(x) = c (x + 0.044715 x^3): s + x s (1 - s) v'(x). */
INLINE float gelu_tanh_slope_of(float x) {
  const float z = at_most(at_least(x, -16), 16);
  const float v = 0x1.988454p+0F * fmaf(0.044715F * z, z * z, z);
  const float slope = 0x1.988454p+0F * fmaf(3 * 0.044715F * z, z, 1);
  return fmaf(z * slope, sigmoid_slope_of(v), sigmoid_of(v));
}

#endif

/* half.c -- rounding to IEEE 754 binary16. */
#include "math/half.h"

/* Returns `bits` / 2^dropped, rounded to nearest, ties to even. */
static uint64_t shift_round(uint64_t bits, unsigned dropped) {
  const uint64_t rest = bits & ((UINT64_C(1) << dropped) - 1), tie = UINT64_C(1) << (dropped - 1);
  const uint64_t kept = bits >> dropped;
  return kept + (rest > tie || (rest == tie && (kept & 1)));
}

uint16_t crd__math_half_from_double(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  const uint16_t sign = (uint16_t)(bits >> 63 << 15);
  const uint64_t magnitude = bits & (UINT64_MAX >> 1);
  const uint64_t exponent = magnitude >> 52;
  const uint64_t mantissa = (magnitude & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
  uint64_t half;
  if (magnitude > UINT64_C(2047) << 52) half = 0x7e00;
  else if (exponent > 1023 + 15) half = 0x7c00;
  else if (exponent < 1023 - 25) half = 0; /* below half of the smallest subnormal */
  else if (exponent < 1023 - 14)
    half = shift_round(mantissa, (unsigned)(42 + 1023 - 14 - exponent));
  /* A carry out of the fraction raises the exponent, up to infinity, as rounding should. */
  else half = shift_round(magnitude - ((UINT64_C(1023) - 15) << 52), 42);
  return (uint16_t)(sign | half);
}

/* Rounded to odd first, so that rounding twice, to float32 and to bfloat16, is rounding once. */
uint16_t crd__math_bfloat_from_double(double value) {
  const float single = (float)value;
  uint32_t bits;
  memcpy(&bits, &single, sizeof bits);
  if (value != value) return (uint16_t)(bits >> 16 | 0x40);
  const double back = (double)single;
  const double magnitude = value < 0 ? -value : value;
  if ((back < 0 ? -back : back) > magnitude) bits--;
  if (back != value) bits |= 1;
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

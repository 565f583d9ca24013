/*
 * half.h -- convert IEEE 754 binary16 and bfloat16 bit by bit, without compiler support for them.
 */
#ifndef CRD_MATH_HALF_H
#define CRD_MATH_HALF_H

#include <stdint.h>
#include <string.h>

/* Exact: every float16 is a float64. */
static inline double crd__math_half_to_double(uint16_t half) {
  const uint64_t sign = (uint64_t)(half >> 15) << 63;
  const uint64_t exponent = (half >> 10) & 31, fraction = half & 1023;
  const double small = (double)fraction * 0x1p-24; /* zero and the subnormals */
  uint64_t bits;
  memcpy(&bits, &small, sizeof bits);
  if (exponent == 31) bits = UINT64_C(2047) << 52 | fraction << 42;
  else if (exponent) bits = (exponent + 1008) << 52 | fraction << 42;
  bits |= sign;
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* Exact: a bfloat16 is the upper half of a float32. */
static inline double crd__math_bfloat_to_double(uint16_t half) {
  const uint32_t bits = (uint32_t)half << 16;
  float value;
  memcpy(&value, &bits, sizeof value);
  return (double)value;
}

/* Rounds to nearest, ties to even; from 65520 on to infinity; NaN stays NaN. */
uint16_t crd__math_half_from_double(double value);
/* The same for bfloat16. */
uint16_t crd__math_bfloat_from_double(double value);

#endif

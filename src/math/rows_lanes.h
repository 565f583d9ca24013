/* rows_lanes.h -- definitions shared by the lanes of all instruction sets. */
#ifndef CRD_MATH_ROWS_LANES_H
#define CRD_MATH_ROWS_LANES_H

#include "math/rows_kernels.h"

#include <stdint.h>

enum { LANES = 16 };

/* The bodies are specialised by inlining: element type and wants are constants in each copy. If
 * lanes are arrays, that would be megabytes of code, so the compiler may choose (rows_generic.c).
 */
#if defined(INLINE)
#elif defined(__GNUC__)
#define INLINE static inline __attribute__((always_inline))
#else
#define INLINE static inline
#endif

/* The bits of 2^(j/16), less j << 48: see exp_lanes. */
static const uint64_t exp_table[LANES] = {
  0x3ff0000000000000, 0x3fefb5586cf9890f, 0x3fef72b83c7d517b, 0x3fef387a6e756238,
  0x3fef06fe0a31b715, 0x3feedea64c123422, 0x3feebfdad5362a27, 0x3feeab07dd485429,
  0x3feea09e667f3bcd, 0x3feea11473eb0187, 0x3feeace5422aa0db, 0x3feec49182a3f090,
  0x3feee89f995ad3ad, 0x3fef199bdd85529c, 0x3fef5818dcfba487, 0x3fefa4afa2a490da,
};

#endif

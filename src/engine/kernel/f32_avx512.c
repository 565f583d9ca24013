/* f32_avx512.c -- the kernels for AVX-512: thirty-two registers of sixteen floats. */
#define KERNELS crd__kernel_f32_avx512
#define KERNELS_NAME "avx512"

#include <immintrin.h>

#define LANE 16
#define TILE 8
typedef __m512 lane;

static inline lane fuse(float a, lane b, lane c) {
  return _mm512_fmadd_ps(_mm512_set1_ps(a), b, c);
}

#include "engine/kernel/f32_body.h"

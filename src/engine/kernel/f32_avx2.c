/* f32_avx2.c -- the kernels for AVX2 with FMA: sixteen registers of eight floats. */
#define KERNELS crd__kernel_f32_avx2
#define KERNELS_NAME "avx2"

#include <immintrin.h>

#define LANE 8
#define TILE 4
typedef __m256 lane;

static inline lane fuse(float a, lane b, lane c) {
  return _mm256_fmadd_ps(_mm256_set1_ps(a), b, c);
}

#include "engine/kernel/f32_body.h"

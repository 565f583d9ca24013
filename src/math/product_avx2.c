/* product_avx2.c -- the product for AVX2: sixteen registers of four doubles. */
#include "math/product_kernels.h"

#include <immintrin.h>

#define LANE 4
#define TILE 6
#define PRODUCT crd__math_product_avx2
typedef __m256d lane;

static inline lane fuse(double a, lane b, lane c) {
  return _mm256_fmadd_pd(_mm256_set1_pd(a), b, c);
}

#include "math/product_body.h"

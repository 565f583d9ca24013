/* product_avx512.c -- the product for AVX-512: thirty-two registers of eight doubles. */
#include "math/product_kernels.h"

#include <immintrin.h>

#define LANE 8
#define TILE 8
#define PRODUCT crd__math_product_avx512
typedef __m512d lane;

static inline lane fuse(double a, lane b, lane c) {
  return _mm512_fmadd_pd(_mm512_set1_pd(a), b, c);
}

#include "math/product_body.h"

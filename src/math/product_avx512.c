/* product_avx512.c -- the product for AVX-512: thirty-two registers of eight doubles. */
#include "math/product_kernels.h"

#define LANE 8
#define TILE 8
#define PRODUCT crd__product_avx512
#include "math/product_body.h"

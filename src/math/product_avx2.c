/* product_avx2.c -- the product for AVX2: sixteen registers of four doubles. */
#include "math/product_kernels.h"

#define LANE 4
#define TILE 4
#define PRODUCT crd__product_avx2
#include "math/product_body.h"

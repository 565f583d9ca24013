/* product_generic.c -- the product for any processor. */
#include "math/product_kernels.h"

#define LANE 2
#define TILE 4
#define PRODUCT crd__product_generic
#include "math/product_body.h"

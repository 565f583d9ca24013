/* product_generic.c -- the product for any processor. fma() rounds once, as C requires: slow
 * without hardware support, but correct. */
#include "math/product_kernels.h"

#include <math.h>

#define LANE 2
#define TILE 4
#define PRODUCT crd__math_product_generic
typedef struct {
  double at[LANE];
} lane;

static inline lane fuse(double a, lane b, lane c) {
  for (unsigned j = 0; j < LANE; j++) c.at[j] = fma(a, b.at[j], c.at[j]);
  return c;
}

#include "math/product_body.h"

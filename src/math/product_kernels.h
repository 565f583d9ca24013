/* product_kernels.h -- the products of this build. */
#ifndef CRD_MATH_PRODUCT_KERNELS_H
#define CRD_MATH_PRODUCT_KERNELS_H

#include "math/product.h"

crd__math_product_fn crd__math_product_generic;
#ifdef CRD__ROWS_X86 /* set by the build, with the files it adds */
crd__math_product_fn crd__math_product_avx2, crd__math_product_avx512;
#endif

#endif

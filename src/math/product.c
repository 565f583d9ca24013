/* product.c -- the products of this build; the row kernels know which the processor can run. */
#include "math/product_kernels.h"
#include "math/rows.h"

#include <string.h>

/* In the order of the row kernels, fastest first, with the same names. */
static const crd__math_product_kernel kernels[] = {
#ifdef CRD__ROWS_X86
  { "avx512", crd__math_product_avx512 },
  { "avx2", crd__math_product_avx2 },
#endif
  { "generic", crd__math_product_generic },
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

const crd__math_product_kernel *crd__math_product_kernel_at(size_t i) {
  return i < KERNELS ? &kernels[i] : NULL;
}

void crd__math_product_add(size_t rows, size_t columns, size_t depth, crd__math_matrix a,
                           crd__math_matrix b, double *c, size_t step) {
  const char *const best = crd__math_row_kernels_best()->name;
  size_t i = 0;
  while (i + 1 < KERNELS && strcmp(kernels[i].name, best) != 0) i++;
  kernels[i].add(rows, columns, depth, a, b, c, step);
}

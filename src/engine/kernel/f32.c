/* f32.c -- the list of kernels; the row kernels (math/rows.h) know which the processor supports. */
#include "engine/kernel/f32.h"

#include "math/rows.h"

#include <string.h>

#ifdef CRD__ROWS_X86 /* set by the build, with the files it adds */
extern const crd__kernel_f32_kernels crd__kernel_f32_avx512, crd__kernel_f32_avx2;
#endif
extern const crd__kernel_f32_kernels crd__kernel_f32_generic;

static const crd__kernel_f32_kernels *const kernels[] = {
#ifdef CRD__ROWS_X86
  &crd__kernel_f32_avx512,
  &crd__kernel_f32_avx2,
#endif
  &crd__kernel_f32_generic,
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

const crd__kernel_f32_kernels *crd__kernel_f32_kernels_at(size_t i) {
  return i < KERNELS ? kernels[i] : NULL;
}

const crd__kernel_f32_kernels *crd__kernel_f32_kernels_best(void) {
  const char *const best = crd__math_row_kernels_best()->name;
  size_t i = 0;
  while (i + 1 < KERNELS && strcmp(kernels[i]->name, best) != 0) i++;
  return kernels[i];
}

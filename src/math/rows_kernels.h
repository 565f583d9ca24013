/* rows_kernels.h -- the kernels of this build, fastest first. */
#ifndef CRD_MATH_ROWS_KERNELS_H
#define CRD_MATH_ROWS_KERNELS_H

#include "math/rows.h"

extern const crd__math_row_kernels crd__math_rows_generic;

#ifdef CRD__ROWS_X86 /* set by the build, with the files it adds */
extern const crd__math_row_kernels crd__math_rows_avx512, crd__math_rows_avx2;
bool crd__math_cpu_avx512(void);
bool crd__math_cpu_avx2(void);
#define CRD__ROW_KERNELS &crd__math_rows_avx512, &crd__math_rows_avx2, &crd__math_rows_generic
#else
#define CRD__ROW_KERNELS &crd__math_rows_generic
#endif

#endif

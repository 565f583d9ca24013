/* rows_x86.c -- processor detection; compiled for the oldest x86-64, unlike the kernels. */
#include "math/rows_kernels.h"

#include <cpuid.h>

static bool has_f16c(void) {
  unsigned a, b, c, d;
  return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}

bool crd__math_cpu_avx2(void) {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c();
}

bool crd__math_cpu_avx512(void) {
  return crd__math_cpu_avx2() && __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512bw");
}

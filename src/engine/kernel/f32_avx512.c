/* f32_avx512.c -- the kernels for AVX-512. */
#define KERNELS crd__kernel_f32_avx512
#define KERNELS_NAME "avx512"
#include "engine/kernel/f32_body.h"

/* f32_avx2.c -- the kernels for AVX2 with FMA. */
#define KERNELS crd__kernel_f32_avx2
#define KERNELS_NAME "avx2"
#include "engine/kernel/f32_body.h"

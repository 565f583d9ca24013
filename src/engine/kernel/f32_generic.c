/* f32_generic.c -- the kernels for any processor. fmaf() is exact as C demands; slow where the
 * processor has no FMA. */
#define KERNELS crd__kernel_f32_generic
#define KERNELS_NAME "generic"
#include "engine/kernel/f32_body.h"

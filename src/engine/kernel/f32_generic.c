/* f32_generic.c -- the kernels for any processor. fmaf() fuses, as C says it does; where the
 * processor can't, this is slow, and right. */
#define KERNELS crd__kernel_f32_generic
#define KERNELS_NAME "generic"
#include "engine/kernel/f32_body.h"

/* f32_generic.c -- the kernels for any processor. fmaf() is exact as C demands; slow where the
 * processor has no FMA. */
#define KERNELS crd__kernel_f32_generic
#define KERNELS_NAME "generic"

#include <math.h>

#define LANE 4
#define TILE 4
typedef struct {
  float at[LANE];
} lane;

static inline lane fuse(float a, lane b, lane c) {
  for (unsigned j = 0; j < LANE; j++) c.at[j] = fmaf(a, b.at[j], c.at[j]);
  return c;
}

#include "engine/kernel/f32_body.h"

/* layer_f32.c -- recurrent layers in float32, with packed weights (panels.h). */
#include "engine/kernel/recurrent/panels.h"

#include <math.h>

#define RUN crd__kernel_recurrent_f32
#define SCRATCH crd__kernel_recurrent_f32_scratch
typedef float real;
typedef crd__kernel_panels factor;
#define factor_size crd__kernel_panels_size
#define activate crd__kernel_activation_f32

/* Prepare weights of rows x depth; *next is the free part of the scratch buffer. */
static factor prepare(unsigned threads, size_t rows, size_t depth, const real *weights,
                      real **next) {
  real *const to = *next;
  *next += factor_size(depth, rows);
  return crd__kernel_panels_pack(threads, depth, rows, weights, 1, depth, to);
}

static void multiply(size_t rows, const factor *f, const real *a, size_t a_step, real *c,
                     size_t c_step) {
  crd__kernel_panels_add(1, rows, f, a, a_step, 1, c, c_step);
}

#include "engine/kernel/recurrent/layer_body.h"

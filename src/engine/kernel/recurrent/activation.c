/* activation.c -- see activation.h. */
#include "engine/kernel/recurrent/activation.h"

#include "engine/kernel/unary.h"

#include <math.h>

enum { BLOCK = 256 };

/* NaN stays. */
static double clip(double x, double limit) { return x > limit ? limit : x < -limit ? -limit : x; }

static bool changes_argument(const crd__kernel_activation *f, double limit) {
  return limit < (double)INFINITY || f->in != 1;
}

void crd__kernel_activation_f32(const crd__kernel_activation *f, double limit, size_t n,
                                const float *x, float *y) {
  const crd__kernel_f32_kernels *const kernels = crd__kernel_f32_kernels_best();
  const bool changes = changes_argument(f, limit);
  for (size_t i = 0; i < n && changes; i++) y[i] = (float)(f->in * clip((double)x[i], limit));
  kernels->unary[f->id](n, changes ? y : x, y, (float)f->a, (float)f->b);
  for (size_t i = 0; i < n && (f->out != 1 || f->shift != 0); i++)
    y[i] = (float)(f->out * (double)y[i] + f->shift);
}

void crd__kernel_activation_f64(const crd__kernel_activation *f, double limit, size_t n,
                                const double *x, double *y) {
  for (size_t i = 0; i < n; i++) y[i] = f->in * clip(x[i], limit);
  crd__kernel_unary(1, f->id, f->a, f->b, CRD_F64, n, y, y);
  for (size_t i = 0; i < n; i++) y[i] = f->out * y[i] + f->shift;
}

/* Of at most BLOCK elements. */
static void slope_block(const crd__kernel_activation *f, double limit, size_t n, const float *x,
                        const float *dy, float *dx) {
  float at[BLOCK], slope[BLOCK];
  for (size_t i = 0; i < n; i++) at[i] = (float)(f->in * clip((double)x[i], limit));
  crd__kernel_f32_kernels_best()->slope_x[f->id](n, at, dy, slope, (float)f->a, (float)f->b);
  for (size_t i = 0; i < n; i++)
    dx[i] = fabs((double)x[i]) > limit ? 0 : (float)(f->out * f->in * (double)slope[i]);
}

void crd__kernel_activation_slope(const crd__kernel_activation *f, double limit, size_t n,
                                  const float *x, const float *dy, float *dx) {
  const crd__kernel_f32_kernels *const kernels = crd__kernel_f32_kernels_best();
  if (!changes_argument(f, limit) && f->out == 1) {
    kernels->slope_x[f->id](n, x, dy, dx, (float)f->a, (float)f->b);
    return;
  }
  for (size_t i = 0; i < n; i += BLOCK)
    slope_block(f, limit, n - i < BLOCK ? n - i : BLOCK, x + i, dy + i, dx + i);
}

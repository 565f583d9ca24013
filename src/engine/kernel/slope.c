/* slope.c -- see slope.h. */
#include "engine/kernel/slope.h"

#include "base/parallel.h"

bool crd__kernel_slope_from_y(crd__kernel_unary_id id, double a) {
  return crd__kernel_f32_kernels_best()->slope_y[id] && (id != CRD__UNARY_LEAKY_RELU || a > 0);
}

typedef struct {
  crd__kernel_f32_slope *kernel;
  float a, b;
  const float *given, *dy;
  float *dx;
} sloping;

static void slope_span(void *arg, size_t from, size_t to) {
  const sloping *const s = arg;
  s->kernel(to - from, s->given + from, s->dy + from, s->dx + from, s->a, s->b);
}

void crd__kernel_slope(unsigned threads, crd__kernel_unary_id id, double a, double b, bool from_y,
                       size_t n, const float *given, const float *dy, float *dx) {
  const crd__kernel_f32_kernels *const k = crd__kernel_f32_kernels_best();
  sloping s = { .kernel = from_y ? k->slope_y[id] : k->slope_x[id],
                .a = (float)a,
                .b = (float)b,
                .given = given,
                .dy = dy,
                .dx = dx };
  crd__parallel_spans(threads, n, 1 << 13, slope_span, &s);
}

/* slope.c -- see slope.h. */
#include "engine/kernel/slope.h"

#include "base/parallel.h"

#include <math.h>

bool crd__kernel_slope_from_y(crd__kernel_unary_id id, double a) {
  return crd__kernel_f32_kernels_best()->slope_y[id] && (id != CRD__UNARY_LEAKY_RELU || a > 0);
}

/* ---- Functions without a float32 kernel. */

#define RARE(name, value)                                                                          \
  static double rare_##name(double x) { return (value); }

RARE(acos, -1 / sqrt((1 - x) * (1 + x)))
RARE(acosh, 1 / (sqrt(x - 1) * sqrt(x + 1)))
RARE(asin, 1 / sqrt((1 - x) * (1 + x)))
RARE(asinh, 1 / hypot(1, x))
RARE(atan, 1 / (1 + x * x))
RARE(atanh, 1 / ((1 - x) * (1 + x)))
RARE(cos, -sin(x))
RARE(cosh, sinh(x))
RARE(sin, cos(x))
RARE(sinh, cosh(x))
RARE(tan, 1 / (cos(x) * cos(x)))

static double (*const rares[CRD__UNARY_COUNT])(double x) = {
#define X(id, name) [CRD__UNARY_##id] = rare_##name,
  CRD__UNARY_RARE_LIST(X)
#undef X
};

/* ---- Arrays. */

typedef struct {
  crd__kernel_f32_slope *kernel;
  double (*rare)(double x);
  float a, b;
  const float *given, *dy;
  float *dx;
} sloping;

static void slope_span(void *arg, size_t from, size_t to) {
  const sloping *const s = arg;
  s->kernel(to - from, s->given + from, s->dy + from, s->dx + from, s->a, s->b);
}

static void rare_span(void *arg, size_t from, size_t to) {
  const sloping *const s = arg;
  for (size_t i = from; i < to; i++)
    s->dx[i] = (float)((double)s->dy[i] * s->rare((double)s->given[i]));
}

void crd__kernel_slope(unsigned threads, crd__kernel_unary_id id, double a, double b, bool from_y,
                       size_t n, const float *given, const float *dy, float *dx) {
  const crd__kernel_f32_kernels *const k = crd__kernel_f32_kernels_best();
  sloping s = { .kernel = from_y ? k->slope_y[id] : k->slope_x[id],
                .rare = rares[id],
                .a = (float)a,
                .b = (float)b,
                .given = given,
                .dy = dy,
                .dx = dx };
  crd__parallel_spans(threads, n, 1 << 13, s.kernel ? slope_span : rare_span, &s);
}

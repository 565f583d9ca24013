/* partial.c -- see partial.h. */
#include "engine/kernel/partial.h"

#include "engine/kernel/walk.h"

#include <math.h>

enum { OUT, IN, LEFT, RIGHT };

/* With constant strides the compiler vectorizes. */
#define LOOP(x_step, y_step, value)                                                                \
  for (ptrdiff_t i = 0; i < n; i++) {                                                              \
    const float g = dz[i], x = left[i * (x_step)], y = right[i * (y_step)];                        \
    (void)x;                                                                                       \
    (void)y;                                                                                       \
    out[i] = (value);                                                                              \
  }
#define PARTIAL(name, value)                                                                       \
  static void name(ptrdiff_t n, float *out, const float *dz, const float *left, ptrdiff_t x_step,  \
                   const float *right, ptrdiff_t y_step) {                                         \
    if (x_step == 1 && y_step == 1) LOOP(1, 1, value)                                              \
    else if (x_step == 1 && y_step == 0) LOOP(1, 0, value)                                         \
    else if (x_step == 0 && y_step == 1) LOOP(0, 1, value)                                         \
    else LOOP(x_step, y_step, value)                                                               \
  }

PARTIAL(mul_x, g *y)
PARTIAL(mul_y, g *x)
PARTIAL(div_x, g / y)
PARTIAL(div_y, -g *x / (y * y))
PARTIAL(pow_x, y == 2 ? 2 * g * x : y == 0 ? 0 : g * y * powf(x, y - 1))
PARTIAL(pow_y, x == 0 && y >= 0 ? 0 : g * powf(x, y) * logf(x))
PARTIAL(prelu_x, x > 0 ? g : g * y)
PARTIAL(prelu_y, x > 0 ? 0 : g * x)
PARTIAL(mod_y, -g *floorf(x / y))
PARTIAL(fmod_y, -g *truncf(x / y))

typedef void partial(ptrdiff_t n, float *out, const float *dz, const float *left, ptrdiff_t x_step,
                     const float *right, ptrdiff_t y_step);

static partial *const partials[CRD__PARTIALS] = {
  [CRD__PARTIAL_MUL_X] = mul_x,     [CRD__PARTIAL_MUL_Y] = mul_y,     [CRD__PARTIAL_DIV_X] = div_x,
  [CRD__PARTIAL_DIV_Y] = div_y,     [CRD__PARTIAL_POW_X] = pow_x,     [CRD__PARTIAL_POW_Y] = pow_y,
  [CRD__PARTIAL_PRELU_X] = prelu_x, [CRD__PARTIAL_PRELU_Y] = prelu_y, [CRD__PARTIAL_MOD_Y] = mod_y,
  [CRD__PARTIAL_FMOD_Y] = fmod_y,
};

typedef struct {
  partial *run;
  float *out;
  const float *dz, *x, *y;
} deriving;

static void derive_row(void *arg, const crd__kernel_walk *w, size_t n, const ptrdiff_t *at) {
  const deriving *const d = arg;
  d->run((ptrdiff_t)n, d->out + at[OUT], d->dz + at[IN], d->x + at[LEFT],
         crd__kernel_walk_step(w, LEFT), d->y + at[RIGHT], crd__kernel_walk_step(w, RIGHT));
}

void crd__kernel_partial(unsigned threads, crd__kernel_partial_id id, size_t rank,
                         const int64_t *dims, float *out, const float *dz, const float *x,
                         const int64_t *x_strides, const float *y, const int64_t *y_strides) {
  /* Operands that are not needed are read nevertheless: dz is passed in their place. */
  const crd__kernel_walk w = crd__kernel_walk_make(
      4, rank, dims,
      (const int64_t *const[]){ NULL, NULL, x ? x_strides : NULL, y ? y_strides : NULL });
  deriving d = { .run = partials[id], .out = out, .dz = dz, .x = x ? x : dz, .y = y ? y : dz };
  crd__kernel_walk_run(threads, &w, derive_row, &d);
}

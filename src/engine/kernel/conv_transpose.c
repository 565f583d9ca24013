/*
 * conv_transpose.c -- transposed convolution in float64, see slide.h: for types and windows that
 * oneDNN lacks.
 *
 * An element of the result collects the taps whose distance from it is a multiple of the stride, so
 * that each is written once, in one order.
 */
#include "base/parallel.h"
#include "engine/kernel/element.h"
#include "engine/kernel/slide.h"

typedef struct {
  const crd__kernel_conv *c;
  const char *x;
  char *y;
} transposing;

static double number_at(crd_dtype dtype, const char *from, size_t i) {
  crd__kernel_block b;
  crd__kernel_block_load(dtype, 1, from + i * crd_dtype_size(dtype), 1, &b);
  return b.real[0];
}

/* Find the element of x that reaches `place` of y under a tap; false: none. */
static bool reaches(const crd__kernel_slide *w, size_t place, size_t tap, size_t *from) {
  size_t step = 1;
  *from = 0;
  for (size_t d = w->spatial; d-- > 0;) {
    const int64_t y = (int64_t)(place % (size_t)w->in[d]), k = (int64_t)(tap % (size_t)w->size[d]);
    const int64_t distance = y + w->before[d] - k * w->dilation[d];
    place /= (size_t)w->in[d];
    tap /= (size_t)w->size[d];
    if (distance < 0 || distance % w->stride[d] || distance / w->stride[d] >= w->out[d])
      return false;
    *from += (size_t)(distance / w->stride[d]) * step;
    step *= (size_t)w->out[d];
  }
  return true;
}

static double collect(const transposing *t, size_t map, size_t place) {
  const crd__kernel_conv *const c = t->c;
  const size_t channels = c->groups * c->outputs, channel = map % channels;
  const size_t group = channel / c->outputs, own = channel % c->outputs;
  const size_t source = (map / channels * c->groups + group) * c->inputs;
  const size_t taps = crd__kernel_conv_taps(c);
  const size_t size = crd__kernel_slide_map(c->window.out, c->window.spatial);
  double sum = c->bias ? number_at(c->dtype, c->bias, channel) : 0;
  for (size_t k = 0; k < taps; k++) {
    size_t from;
    if (!reaches(&c->window, place, k, &from)) continue;
    for (size_t i = 0; i < c->inputs; i++)
      sum +=
          number_at(c->dtype, t->x, (source + i) * size + from) *
          number_at(c->dtype, c->weights, ((group * c->inputs + i) * c->outputs + own) * taps + k);
  }
  return sum;
}

static void transpose_span(void *arg, size_t from, size_t to) {
  const transposing *const t = arg;
  const size_t size = crd__kernel_slide_map(t->c->window.in, t->c->window.spatial);
  for (size_t i = from; i < to; i++) {
    crd__kernel_block b;
    b.real[0] = collect(t, i / size, i % size);
    crd__kernel_block_store(t->c->dtype, 1, &b, t->y + i * crd_dtype_size(t->c->dtype), 1);
  }
}

void crd__kernel_conv_transpose_run(unsigned threads, const crd__kernel_conv *c, const void *x,
                                    void *y) {
  transposing t = { .c = c, .x = x, .y = y };
  crd__parallel_spans(threads,
                      c->batch * c->groups * c->outputs *
                          crd__kernel_slide_map(c->window.in, c->window.spatial),
                      64, transpose_span, &t);
}

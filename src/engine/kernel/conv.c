/* conv.c -- convolution in float64, see slide.h. */
#include "base/parallel.h"
#include "engine/kernel/element.h"
#include "engine/kernel/slide.h"

typedef struct {
  const crd__kernel_conv *c;
  const char *x;
  char *y;
} convolving;

/* Add one tap of one input map to sums. */
static void add_tap(const crd__kernel_conv *c, const char *map, double weight,
                    const crd__kernel_under *u, crd__kernel_block *sums) {
  crd__kernel_block v;
  const size_t n = u->to - u->from;
  crd__kernel_block_load(c->dtype, n, map + (size_t)u->at * crd_dtype_size(c->dtype),
                         (ptrdiff_t)u->step, &v);
  for (size_t i = 0; i < n; i++) sums->real[u->from + i] += weight * v.real[i];
}

static double number_at(crd_dtype dtype, const void *from, size_t i) {
  crd__kernel_block b;
  crd__kernel_block_load(dtype, 1, (const char *)from + i * crd_dtype_size(dtype), 1, &b);
  return b.real[0];
}

/* Compute n elements from `first` on of a row of an output map. */
static void convolve_piece(const convolving *w, size_t map, size_t row, size_t first, size_t n,
                           crd__kernel_block *sums) {
  const crd__kernel_conv *const c = w->c;
  const size_t channels = c->groups * c->outputs, channel = map % channels;
  const size_t source = (map / channels * c->groups + channel / c->outputs) * c->inputs;
  const size_t taps = crd__kernel_conv_taps(c);
  const size_t bytes =
      crd__kernel_slide_map(c->window.in, c->window.spatial) * crd_dtype_size(c->dtype);
  const double bias = c->bias ? number_at(c->dtype, c->bias, channel) : 0;
  for (size_t i = 0; i < n; i++) sums->real[i] = bias;
  for (size_t k = 0; k < taps; k++) {
    crd__kernel_under u;
    if (!crd__kernel_slide_under(&c->window, row, k, first, n, false, &u)) continue;
    for (size_t i = 0; i < c->inputs; i++)
      add_tap(c, w->x + (source + i) * bytes,
              number_at(c->dtype, c->weights, (channel * c->inputs + i) * taps + k), &u, sums);
  }
}

static void convolve_rows(void *arg, size_t from, size_t to) {
  const convolving *const w = arg;
  const crd__kernel_conv *const c = w->c;
  const size_t rows = crd__kernel_slide_rows(&c->window), size = crd_dtype_size(c->dtype);
  const size_t length = (size_t)c->window.out[c->window.spatial - 1];
  for (size_t r = from; r < to; r++)
    for (size_t k = 0; k < length; k += CRD__BLOCK) {
      const size_t n = length - k < CRD__BLOCK ? length - k : CRD__BLOCK;
      crd__kernel_block sums;
      convolve_piece(w, r / rows, r % rows, k, n, &sums);
      crd__kernel_block_store(c->dtype, n, &sums, w->y + (r * length + k) * size, 1);
    }
}

void crd__kernel_conv_run(unsigned threads, const crd__kernel_conv *c, const void *x, void *y) {
  convolving w = { .c = c, .x = x, .y = y };
  crd__parallel_spans(threads,
                      c->batch * c->groups * c->outputs * crd__kernel_slide_rows(&c->window), 1,
                      convolve_rows, &w);
}

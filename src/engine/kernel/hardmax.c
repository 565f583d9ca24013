/* hardmax.c -- see hardmax.h. */
#include "engine/kernel/hardmax.h"

#include "base/parallel.h"
#include "engine/kernel/element.h"

#include <math.h>

typedef struct {
  crd_dtype dtype;
  size_t n, inner;
  const char *x;
  char *y;
} choosing;

/* One column of n elements with stride `inner`: the index of its maximum, then the result. */
static void choose_column(const choosing *c, size_t at) {
  const size_t size = crd_dtype_size(c->dtype);
  double top = -INFINITY;
  size_t best = 0;
  for (int pass = 0; pass < 2; pass++)
    for (size_t k = 0; k < c->n; k += CRD__BLOCK) {
      const size_t n = c->n - k < CRD__BLOCK ? c->n - k : CRD__BLOCK;
      const size_t place = (at + k * c->inner) * size;
      crd__kernel_block v;
      if (pass == 0) crd__kernel_block_load(c->dtype, n, c->x + place, (ptrdiff_t)c->inner, &v);
      for (size_t i = 0; i < n && pass == 0; i++)
        if (v.real[i] > top || (isnan(v.real[i]) && !isnan(top))) {
          top = v.real[i];
          best = k + i;
        }
      if (pass == 0) continue;
      for (size_t i = 0; i < n; i++) v.real[i] = k + i == best;
      crd__kernel_block_store(c->dtype, n, &v, c->y + place, (ptrdiff_t)c->inner);
    }
}

static void choose_columns(void *arg, size_t from, size_t to) {
  const choosing *const c = arg;
  for (size_t k = from; k < to; k++)
    choose_column(c, k / c->inner * c->n * c->inner + k % c->inner);
}

void crd__kernel_hardmax(unsigned threads, crd_dtype dtype, size_t outer, size_t n, size_t inner,
                         const void *x, void *y) {
  choosing c = { .dtype = dtype, .n = n, .inner = inner, .x = x, .y = y };
  if (n && inner) crd__parallel_spans(threads, outer * inner, (1 << 13) / n, choose_columns, &c);
}

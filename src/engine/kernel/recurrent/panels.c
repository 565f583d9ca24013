/* panels.c -- packs matrices, and divides products among threads (panels.h). */
#include "engine/kernel/recurrent/panels.h"

#include "base/parallel.h"

#include <string.h>

enum { PANEL = CRD__F32_PANEL, ROWS = 64 };

size_t crd__kernel_panels_size(size_t depth, size_t columns) {
  return (columns + PANEL - 1) / PANEL * PANEL * depth;
}

typedef struct {
  size_t depth, columns;
  const float *b;
  size_t row, column;
  float *to;
} packing;

static void pack(void *arg, size_t from, size_t to) {
  const packing *const p = arg;
  for (size_t panel = from; panel < to; panel++) {
    const size_t first = panel * PANEL, left = p->columns - first;
    const size_t wide = left < PANEL ? left : PANEL;
    float *const out = p->to + first * p->depth;
    if (wide < PANEL) memset(out, 0, p->depth * PANEL * sizeof *out);
    for (size_t k = 0; k < p->depth; k++)
      for (size_t j = 0; j < wide; j++)
        out[k * PANEL + j] = p->b[k * p->row + (first + j) * p->column];
  }
}

crd__kernel_panels crd__kernel_panels_pack(unsigned threads, size_t depth, size_t columns,
                                           const float *b, size_t row, size_t column, float *to) {
  packing p = { depth, columns, b, row, column, to };
  crd__parallel_spans(threads, (columns + PANEL - 1) / PANEL, 1 + 8192 / (depth + 1), pack, &p);
  return (crd__kernel_panels){ depth, columns, to };
}

typedef struct {
  const crd__kernel_panels *b;
  const float *a;
  size_t row, column;
  float *c;
  size_t step;
} work;

/* A block of rows of a stays in the cache while the panels stream through it. */
static void add(void *arg, size_t from, size_t to) {
  const work *const w = arg;
  for (size_t i = from; i < to; i += ROWS)
    crd__kernel_f32_kernels_best()->product(to - i < ROWS ? to - i : ROWS, w->b->columns,
                                            w->b->depth, w->a + i * w->row, w->row, w->column,
                                            w->b->at, w->c + i * w->step, w->step);
}

void crd__kernel_panels_add(unsigned threads, size_t rows, const crd__kernel_panels *b,
                            const float *a, size_t row, size_t column, float *c, size_t step) {
  work w = { b, a, row, column, c, step };
  crd__parallel_spans(threads, rows, 1 + 65536 / (b->depth * b->columns + 1), add, &w);
}

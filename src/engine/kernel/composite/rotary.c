/* rotary.c -- see rotary.h. */
#include "engine/kernel/composite/rotary.h"

#include "base/parallel.h"
#include "engine/kernel/element.h"

#include <string.h>

typedef struct {
  const crd__kernel_rotary *r;
  bool back;
  const char *x, *cosines, *sines;
  const int64_t *positions;
  char *y;
} work;

/* Rotate the pairs from..from+n-1 of the row at `row`, by the angles at `angle`. */
static void rotate(const work *w, size_t row, size_t angle, size_t from, size_t n) {
  const crd__kernel_rotary *const r = w->r;
  const size_t size = crd_dtype_size(r->dtype);
  const ptrdiff_t step = r->interleaved ? 2 : 1;
  const size_t first = row + from * (size_t)step;
  const size_t second = first + (r->interleaved ? 1 : r->rotated / 2);
  crd__kernel_block a, b, c, s;
  crd__kernel_block_load(r->dtype, n, w->x + first * size, step, &a);
  crd__kernel_block_load(r->dtype, n, w->x + second * size, step, &b);
  crd__kernel_block_load(r->dtype, n, w->cosines + (angle + from) * size, 1, &c);
  crd__kernel_block_load(r->dtype, n, w->sines + (angle + from) * size, 1, &s);
  for (size_t i = 0; i < n; i++) {
    const double x1 = a.real[i], x2 = b.real[i], sine = w->back ? -s.real[i] : s.real[i];
    a.real[i] = c.real[i] * x1 - sine * x2;
    b.real[i] = sine * x1 + c.real[i] * x2;
  }
  crd__kernel_block_store(r->dtype, n, &a, w->y + first * size, step);
  crd__kernel_block_store(r->dtype, n, &b, w->y + second * size, step);
}

static void rotate_rows(void *arg, size_t from, size_t to) {
  const work *const w = arg;
  const crd__kernel_rotary *const r = w->r;
  const size_t size = crd_dtype_size(r->dtype), half = r->rotated / 2;
  for (size_t n = from; n < to; n++) {
    const size_t row = n % r->rows, head = n / r->rows % r->heads, batch = n / r->rows / r->heads;
    const size_t at = batch * r->steps.batch + head * r->steps.head + row * r->steps.row;
    const size_t sample = batch * r->rows + row;
    const size_t angle = (w->positions ? (size_t)w->positions[sample] : sample) * half;
    for (size_t i = 0; i < half; i += CRD__BLOCK)
      rotate(w, at, angle, i, half - i < CRD__BLOCK ? half - i : CRD__BLOCK);
    memcpy(w->y + (at + r->rotated) * size, w->x + (at + r->rotated) * size,
           (r->size - r->rotated) * size);
  }
}

void crd__kernel_rotary_run(unsigned threads, const crd__kernel_rotary *r, bool back, const void *x,
                            const void *cosines, const void *sines, const int64_t *positions,
                            void *y) {
  work w = { r, back, x, cosines, sines, positions, y };
  crd__parallel_spans(threads, r->batch * r->heads * r->rows, 1 + 8192 / (r->size + 1), rotate_rows,
                      &w);
}

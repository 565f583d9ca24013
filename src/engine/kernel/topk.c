/*
 * topk.c -- the k greatest or smallest elements along an axis, see along.h.
 *
 * A heap of k positions, whose root is the last in the order of the result, is kept where the
 * positions go; each further element that comes before the root replaces it. Taking the roots one
 * by one sorts the heap in place: n log k comparisons, and no workspace.
 */
#include "base/parallel.h"
#include "engine/kernel/along.h"
#include "engine/kernel/element.h"

#include <math.h>
#include <string.h>

typedef struct {
  crd__kernel_along a;
  size_t k, size;
  bool least;
  const char *x;
  char *values;
  int64_t *positions;
} selecting;

/* One column: its elements, and its heap. Both are `inner` elements apart. */
typedef struct {
  const selecting *w;
  const char *x;
  int64_t *heap;
} column;

/* Return -1, 0 or 1, NaN being the greatest. */
static int compare_reals(double a, double b) {
  if (isnan(a) || isnan(b)) return (int)(isnan(a) != 0) - (int)(isnan(b) != 0);
  return (int)(a > b) - (int)(a < b);
}

static int compare(const selecting *w, const char *a, const char *b) {
  const crd__kernel_carrier carrier = crd__kernel_carrier_of(w->a.dtype);
  crd__kernel_block v[2];
  float narrow[2];
  if (w->a.dtype == CRD_F32) {
    memcpy(&narrow[0], a, sizeof *narrow);
    memcpy(&narrow[1], b, sizeof *narrow);
    return compare_reals((double)narrow[0], (double)narrow[1]);
  }
  crd__kernel_block_load(w->a.dtype, 1, a, 1, &v[0]);
  crd__kernel_block_load(w->a.dtype, 1, b, 1, &v[1]);
  if (carrier == CRD__REAL) return compare_reals(v[0].real[0], v[1].real[0]);
  if (carrier == CRD__SIGNED)
    return (int)(v[0].whole[0] > v[1].whole[0]) - (int)(v[0].whole[0] < v[1].whole[0]);
  return (int)(v[0].natural[0] > v[1].natural[0]) - (int)(v[0].natural[0] < v[1].natural[0]);
}

/* True if position i comes before position j in the result. */
static bool before(const column *c, int64_t i, int64_t j) {
  const size_t stride = c->w->a.inner * c->w->size;
  const int order = compare(c->w, c->x + (size_t)i * stride, c->x + (size_t)j * stride);
  if (order == 0) return i < j;
  return c->w->least ? order < 0 : order > 0;
}

/* Put `position` into the heap of n at its root, and restore the order: no element comes before one
 * below it. */
static void sift(const column *c, size_t n, size_t root, int64_t position) {
  const size_t step = c->w->a.inner;
  for (size_t child; (child = 2 * root + 1) < n; root = child) {
    if (child + 1 < n && before(c, c->heap[child * step], c->heap[(child + 1) * step])) child++;
    if (!before(c, position, c->heap[child * step])) break;
    c->heap[root * step] = c->heap[child * step];
  }
  c->heap[root * step] = position;
}

static void select_column(const selecting *w, size_t number) {
  const size_t outer = number / w->a.inner, i = number % w->a.inner, step = w->a.inner;
  const column c = { .w = w,
                     .x = w->x + (outer * w->a.length * step + i) * w->size,
                     .heap = w->positions + outer * w->k * step + i };
  for (size_t j = 0; j < w->k; j++) c.heap[j * step] = (int64_t)j;
  for (size_t j = w->k / 2; j-- > 0;) sift(&c, w->k, j, c.heap[j * step]);
  for (size_t j = w->k; j < w->a.length; j++)
    if (before(&c, (int64_t)j, c.heap[0])) sift(&c, w->k, 0, (int64_t)j);
  for (size_t n = w->k; n-- > 1;) { /* the root is the last of the n + 1 that are left */
    const int64_t last = c.heap[n * step];
    c.heap[n * step] = c.heap[0];
    sift(&c, n, 0, last);
  }
  char *const values = w->values + (outer * w->k * step + i) * w->size;
  for (size_t j = 0; j < w->k; j++)
    memcpy(values + j * step * w->size, c.x + (size_t)c.heap[j * step] * step * w->size, w->size);
}

static void select_span(void *arg, size_t from, size_t to) {
  for (size_t number = from; number < to; number++) select_column(arg, number);
}

void crd__kernel_topk(unsigned threads, const crd__kernel_along *a, size_t k, bool least,
                      const void *x, void *values, int64_t *positions) {
  selecting w = { .a = *a,
                  .k = k,
                  .size = crd_dtype_size(a->dtype),
                  .least = least,
                  .x = x,
                  .values = values,
                  .positions = positions };
  if (k) crd__parallel_spans(threads, a->outer * a->inner, (1 << 12) / a->length, select_span, &w);
}

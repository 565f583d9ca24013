/* tile.c -- see tile.h. Work is split by rows: all dimensions but the last. */
#include "engine/kernel/tile.h"

#include "base/parallel.h"

#include <string.h>

enum { GRAIN = 1 << 14 }; /* least number of elements for a thread */

/* ---- Repetition. */

typedef struct {
  const crd__kernel_tiling *t;
  size_t size, length, repeats; /* of the last dimension */
  size_t copies;                /* of each row: the product of the other repeats */
  const char *x;
  char *y;
} tiling;

static size_t length_of(const crd__kernel_tiling *t, size_t d, bool whole) {
  return (size_t)(whole ? t->dims[d] * t->repeats[d] : t->dims[d]);
}

/* Return the number of rows of the array, or of the `whole` result. */
static size_t rows_of(const crd__kernel_tiling *t, bool whole) {
  size_t rows = 1;
  for (size_t d = 0; d + 1 < t->rank; d++) rows *= length_of(t, d, whole);
  return rows;
}

static tiling tiling_of(const crd__kernel_tiling *t, size_t size) {
  tiling g = { .t = t, .size = size, .length = 1, .repeats = 1, .copies = 1 };
  if (t->rank) {
    g.length = (size_t)t->dims[t->rank - 1];
    g.repeats = (size_t)t->repeats[t->rank - 1];
  }
  for (size_t d = 0; d + 1 < t->rank; d++) g.copies *= (size_t)t->repeats[d];
  return g;
}

/* Return the row of the array that a row of the result repeats. */
static size_t source_of(const crd__kernel_tiling *t, size_t row) {
  size_t from = 0, step = 1;
  for (size_t d = t->rank; d-- > 0;) {
    if (d + 1 == t->rank) continue;
    from += row % length_of(t, d, true) % length_of(t, d, false) * step;
    row /= length_of(t, d, true);
    step *= length_of(t, d, false);
  }
  return from;
}

/* Return row `copy` of the result that repeats this row. */
static size_t target_of(const crd__kernel_tiling *t, size_t row, size_t copy) {
  size_t to = 0, step = 1;
  for (size_t d = t->rank; d-- > 0;) {
    if (d + 1 == t->rank) continue;
    const size_t own = length_of(t, d, false), times = (size_t)t->repeats[d];
    to += (row % own + copy % times * own) * step;
    row /= own;
    copy /= times;
    step *= own * times;
  }
  return to;
}

static void tile_rows(void *arg, size_t from, size_t to) {
  const tiling *const g = arg;
  const size_t bytes = g->length * g->size;
  for (size_t row = from; row < to; row++) {
    const char *const x = g->x + source_of(g->t, row) * bytes;
    char *const y = g->y + row * g->repeats * bytes;
    for (size_t k = 0; k < g->repeats; k++) memcpy(y + k * bytes, x, bytes);
  }
}

void crd__kernel_tile(unsigned threads, const crd__kernel_tiling *t, size_t size, const void *x,
                      void *y) {
  tiling g = tiling_of(t, size);
  const size_t each = g.length * g.repeats;
  g.x = x;
  g.y = y;
  if (each) crd__parallel_spans(threads, rows_of(t, true), GRAIN / each + 1, tile_rows, &g);
}

static void sum_rows(void *arg, size_t from, size_t to) {
  const tiling *const g = arg;
  const float *const dy = (const float *)(const void *)g->x;
  float *const dx = (float *)(void *)g->y;
  for (size_t row = from; row < to; row++) {
    float *const sum = dx + row * g->length;
    memset(sum, 0, g->length * sizeof *sum);
    for (size_t copy = 0; copy < g->copies; copy++)
      for (size_t k = 0; k < g->repeats; k++) {
        const float *const term = dy + (target_of(g->t, row, copy) * g->repeats + k) * g->length;
        for (size_t i = 0; i < g->length; i++) sum[i] += term[i];
      }
  }
}

void crd__kernel_tile_back(unsigned threads, const crd__kernel_tiling *t, const float *dy,
                           float *dx) {
  tiling g = tiling_of(t, sizeof *dx);
  const size_t each = g.length * g.repeats * g.copies;
  g.x = (const char *)dy;
  g.y = (char *)dx;
  if (g.length)
    crd__parallel_spans(threads, rows_of(t, false), GRAIN / (each + 1) + 1, sum_rows, &g);
}

/* ---- Triangles. */

typedef struct {
  const crd__kernel_triangle *t;
  const char *x;
  char *y;
} cutting;

/* Return how many elements at the start of row i are on the left of the diagonal; lower: how many
 * are kept. */
static size_t split_of(const crd__kernel_triangle *t, size_t i) {
  const int64_t most = (int64_t)t->columns;
  const int64_t first = (int64_t)i + t->k + (t->lower ? 1 : 0);
  return (size_t)(first < 0 ? 0 : first > most ? most : first);
}

static void cut_rows(void *arg, size_t from, size_t to) {
  const cutting *const c = arg;
  const crd__kernel_triangle *const t = c->t;
  for (size_t row = from; row < to; row++) {
    const size_t split = split_of(t, row % t->rows) * t->size, all = t->columns * t->size;
    const char *const x = c->x + row * all;
    char *const y = c->y + row * all;
    if (t->lower) {
      memmove(y, x, split);
      memset(y + split, 0, all - split);
    } else {
      memset(y, 0, split);
      memmove(y + split, x + split, all - split);
    }
  }
}

void crd__kernel_trilu(unsigned threads, const crd__kernel_triangle *t, const void *x, void *y) {
  cutting c = { .t = t, .x = x, .y = y };
  if (t->columns)
    crd__parallel_spans(threads, t->count * t->rows, GRAIN / t->columns + 1, cut_rows, &c);
}

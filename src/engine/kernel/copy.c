/*
 * copy.c -- strided copies: runs that are contiguous in both arrays by memcpy, others element by
 * element.
 *
 * If rows of one array are columns of the other, iteration along either would touch a cache line
 * per element. Such pairs of dimensions are copied in tiles, so that cache lines are used up while
 * they are cached.
 */
#include "engine/kernel/copy.h"

#include "base/parallel.h"
#include "engine/kernel/walk.h"

#include <string.h>

enum { TO, FROM };

typedef struct {
  char *dst;
  const char *src;
  size_t size;
} copying;

/* Copy element by element, for a size known at compile time. */
#define LOOP(bytes)                                                                                \
  for (size_t i = 0; i < count; i++)                                                               \
  memcpy(dst + (ptrdiff_t)i * dst_step * (bytes), src + (ptrdiff_t)i * src_step * (bytes), (bytes))

static void copy_strided(size_t size, size_t count, char *dst, ptrdiff_t dst_step, const char *src,
                         ptrdiff_t src_step) {
  if (size == 4) LOOP(4);
  else if (size == 8) LOOP(8);
  else if (size == 2) LOOP(2);
  else LOOP(1);
}

/* Repeat one element, by copies of doubling length. */
static void repeat(size_t size, size_t count, char *dst, const char *src) {
  enum { MOST = 1024 };
  memcpy(dst, src, size);
  for (size_t done = 1, more; done < count; done += more) {
    more = done < count - done ? done : count - done;
    if (more > MOST) more = MOST;
    memcpy(dst + done * size, dst, more * size);
  }
}

static void copy_row(void *arg, const crd__kernel_walk *w, size_t count, const ptrdiff_t *at) {
  const copying *const c = arg;
  const ptrdiff_t size = (ptrdiff_t)c->size;
  const ptrdiff_t to = crd__kernel_walk_step(w, TO), from = crd__kernel_walk_step(w, FROM);
  char *const dst = c->dst + at[TO] * size;
  const char *const src = c->src + at[FROM] * size;
  if (to == 1 && from == 1) memcpy(dst, src, count * c->size);
  else if (to == 1 && from == 0) repeat(c->size, count, dst, src);
  else copy_strided(c->size, count, dst, to, src, from);
}

/* ---- Tiles of two dimensions: `row`, contiguous in dst, and `column`, contiguous in src. */

enum { TILE = 16 };

typedef struct {
  copying c;
  crd__kernel_walk outer; /* the other dimensions */
  size_t rows, columns;
  ptrdiff_t row_from, column_to; /* strides of src along `row`, and of dst along `column` */
} tiling;

static void copy_tile(const tiling *t, size_t rows, size_t columns, char *dst, const char *src) {
  const ptrdiff_t size = (ptrdiff_t)t->c.size;
  for (size_t j = 0; j < columns; j++)
    copy_strided(t->c.size, rows, dst + (ptrdiff_t)j * t->column_to * size, 1,
                 src + (ptrdiff_t)j * size, t->row_from);
}

/* Copy strips of TILE columns, over all outer dimensions. */
static void copy_strips(void *arg, size_t from, size_t to) {
  const tiling *const t = arg;
  const size_t strips = (t->columns + TILE - 1) / TILE;
  const ptrdiff_t size = (ptrdiff_t)t->c.size;
  for (size_t s = from; s < to; s++) {
    ptrdiff_t dst = 0, src = 0;
    size_t rest = s / strips;
    for (size_t d = t->outer.rank; d-- > 0; rest /= t->outer.dims[d]) {
      const ptrdiff_t index = (ptrdiff_t)(rest % t->outer.dims[d]);
      dst += index * t->outer.steps[TO][d];
      src += index * t->outer.steps[FROM][d];
    }
    const size_t column = s % strips * TILE;
    const size_t columns = t->columns - column < TILE ? t->columns - column : TILE;
    dst += (ptrdiff_t)column * t->column_to;
    src += (ptrdiff_t)column;
    for (size_t row = 0; row < t->rows; row += TILE)
      copy_tile(t, t->rows - row < TILE ? t->rows - row : TILE, columns,
                t->c.dst + (dst + (ptrdiff_t)row) * size,
                t->c.src + (src + (ptrdiff_t)row * t->row_from) * size);
  }
}

/* Return the dimension along which src is contiguous, if it is not that of dst. */
static size_t find_column(const crd__kernel_walk *w) {
  const size_t last = w->rank - 1;
  if (w->steps[TO][last] != 1 || w->steps[FROM][last] == 1 || w->steps[FROM][last] == 0)
    return last;
  for (size_t d = 0; d < last; d++)
    if (w->steps[FROM][d] == 1 && w->dims[d] > 1) return d;
  return last;
}

static void copy_tiled(unsigned threads, const crd__kernel_walk *w, size_t column, copying c) {
  const size_t last = w->rank - 1;
  tiling t = { .c = c,
               .rows = w->dims[last],
               .columns = w->dims[column],
               .row_from = w->steps[FROM][last],
               .column_to = w->steps[TO][column] };
  for (size_t d = 0; d < last; d++) {
    if (d == column) continue;
    t.outer.dims[t.outer.rank] = w->dims[d];
    t.outer.steps[TO][t.outer.rank] = w->steps[TO][d];
    t.outer.steps[FROM][t.outer.rank++] = w->steps[FROM][d];
  }
  const size_t strips = w->total / t.rows / t.columns * ((t.columns + TILE - 1) / TILE);
  const size_t grain = (1 << 14) / (t.rows * TILE);
  crd__parallel_spans(threads, strips, grain, copy_strips, &t);
}

void crd__kernel_copy(unsigned threads, size_t size, size_t rank, const int64_t *dims, void *dst,
                      const int64_t *dst_strides, const void *src, const int64_t *src_strides) {
  const crd__kernel_walk w =
      crd__kernel_walk_make(2, rank, dims, (const int64_t *const[]){ dst_strides, src_strides });
  copying c = { .dst = dst, .src = src, .size = size };
  if (!w.total) return;
  const size_t column = find_column(&w);
  if (column != w.rank - 1) copy_tiled(threads, &w, column, c);
  else crd__kernel_walk_run(threads, &w, copy_row, &c);
}

void crd__kernel_fill(unsigned threads, size_t size, size_t rank, const int64_t *dims, void *dst,
                      const int64_t *dst_strides, const void *value) {
  const int64_t none[CRD_RANK_MAX] = { 0 };
  crd__kernel_copy(threads, size, rank, dims, dst, dst_strides, value, none);
}

typedef struct {
  float *dst;
  const float *src;
} adding;

static void add_row(void *arg, const crd__kernel_walk *w, size_t count, const ptrdiff_t *at) {
  const adding *const a = arg;
  const ptrdiff_t to = crd__kernel_walk_step(w, TO), from = crd__kernel_walk_step(w, FROM);
  for (ptrdiff_t i = 0; i < (ptrdiff_t)count; i++)
    a->dst[at[TO] + i * to] += a->src[at[FROM] + i * from];
}

void crd__kernel_add_onto(unsigned threads, size_t rank, const int64_t *dims, float *dst,
                          const int64_t *dst_strides, const float *src,
                          const int64_t *src_strides) {
  const crd__kernel_walk w =
      crd__kernel_walk_make(2, rank, dims, (const int64_t *const[]){ dst_strides, src_strides });
  adding a = { .dst = dst, .src = src };
  crd__kernel_walk_run(threads, &w, add_row, &a);
}

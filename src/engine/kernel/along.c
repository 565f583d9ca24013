/* along.c -- cumulative sums and positions of extrema, see along.h. Blocks of columns are handled
 * together, so that memory is read contiguously; if there is one column, blocks of its elements. */
#include "engine/kernel/along.h"

#include "base/parallel.h"
#include "engine/kernel/binary.h"

#include <math.h>

enum { GRAIN = 1 << 14 };

typedef struct {
  crd__kernel_along a;
  bool exclusive, reverse; /* of sums */
  bool least, last;        /* of extrema */
  size_t size;
  const char *x;
  char *y;
} job;

static size_t blocks_of(const crd__kernel_along *a) {
  return (a->inner + CRD__BLOCK - 1) / CRD__BLOCK;
}

/* Work on the n columns from `first` on of one outer index. */
typedef void columns_fn(const job *w, size_t outer, size_t first, size_t n);

static void each_block(const job *w, size_t from, size_t to, columns_fn *work) {
  const size_t blocks = blocks_of(&w->a);
  for (size_t b = from; b < to; b++) {
    const size_t first = b % blocks * CRD__BLOCK, left = w->a.inner - first;
    work(w, b / blocks, first, left < CRD__BLOCK ? left : CRD__BLOCK);
  }
}

static void run_blocks(unsigned threads, job *w, void (*span)(void *, size_t, size_t)) {
  const size_t each = w->a.length * (w->a.inner < CRD__BLOCK ? w->a.inner : CRD__BLOCK) + 1;
  crd__parallel_spans(threads, w->a.outer * blocks_of(&w->a), GRAIN / each, span, w);
}

/* ---- Sums. */

/* Add up n consecutive elements in the order of the sum; `sum` is the one so far. Integers are
 * added as unsigned ones, which wrap. */
#define CHAIN(type, member)                                                                        \
  for (size_t j = 0; j < n; j++) {                                                                 \
    type *const value = &v.member[w->reverse ? n - 1 - j : j];                                     \
    const type before = sum->member[0];                                                            \
    sum->member[0] += *value;                                                                      \
    *value = w->exclusive ? before : sum->member[0];                                               \
  }

static void chain(const job *w, size_t at, size_t n, crd__kernel_block *sum) {
  crd__kernel_block v;
  crd__kernel_block_load(w->a.dtype, n, w->x + at * w->size, 1, &v);
  if (crd__kernel_carrier_of(w->a.dtype) == CRD__REAL) CHAIN(double, real)
  else CHAIN(uint64_t, natural)
  crd__kernel_block_store(w->a.dtype, n, &v, w->y + at * w->size, 1);
}

static void sum_column(const job *w, size_t outer) {
  crd__kernel_block sum = { .natural = { 0 } }; /* zero of every carrier */
  for (size_t done = 0, n; done < w->a.length; done += n) {
    n = w->a.length - done < CRD__BLOCK ? w->a.length - done : CRD__BLOCK;
    chain(w, outer * w->a.length + (w->reverse ? w->a.length - done - n : done), n, &sum);
  }
}

static void sum_columns(const job *w, size_t outer, size_t first, size_t n) {
  const crd__kernel_carrier carrier = crd__kernel_carrier_of(w->a.dtype);
  crd__kernel_block sums = { .natural = { 0 } }, v;
  if (w->a.inner == 1) {
    sum_column(w, outer);
    return;
  }
  for (size_t j = 0; j < w->a.length; j++) {
    const size_t row = outer * w->a.length + (w->reverse ? w->a.length - 1 - j : j);
    const size_t at = (row * w->a.inner + first) * w->size;
    crd__kernel_block_load(w->a.dtype, n, w->x + at, 1, &v);
    if (w->exclusive) crd__kernel_block_store(w->a.dtype, n, &sums, w->y + at, 1);
    crd__kernel_block_pair(CRD__PAIR_ADD, carrier, n, &sums, &v);
    if (!w->exclusive) crd__kernel_block_store(w->a.dtype, n, &sums, w->y + at, 1);
  }
}

static void sum_span(void *arg, size_t from, size_t to) { each_block(arg, from, to, sum_columns); }

void crd__kernel_cumsum(unsigned threads, const crd__kernel_along *a, bool exclusive, bool reverse,
                        const void *x, void *y) {
  job w = { .a = *a,
            .exclusive = exclusive,
            .reverse = reverse,
            .size = crd_dtype_size(a->dtype),
            .x = x,
            .y = y };
  run_blocks(threads, &w, sum_span);
}

/* ---- Positions of extrema. */

/* True if element i of v takes the place of element k of `best`, which came before it. */
static bool beats(const job *w, const crd__kernel_block *v, size_t i, const crd__kernel_block *best,
                  size_t k) {
  const crd__kernel_carrier carrier = crd__kernel_carrier_of(w->a.dtype);
  bool more, same;
  if (carrier == CRD__REAL) {
    const double new = v->real[i], old = best->real[k];
    same = new == old || (isnan(new) && isnan(old));
    more = !isnan(old) && (isnan(new) || (w->least ? new < old : new > old));
  } else if (carrier == CRD__SIGNED) {
    same = v->whole[i] == best->whole[k];
    more = w->least ? v->whole[i] < best->whole[k] : v->whole[i] > best->whole[k];
  } else {
    same = v->natural[i] == best->natural[k];
    more = w->least ? v->natural[i] < best->natural[k] : v->natural[i] > best->natural[k];
  }
  return more || (same && w->last);
}

static void arg_column(const job *w, size_t outer, int64_t *y) {
  crd__kernel_block v, best = { .natural = { 0 } };
  *y = 0;
  for (size_t done = 0, n; done < w->a.length; done += n) {
    n = w->a.length - done < CRD__BLOCK ? w->a.length - done : CRD__BLOCK;
    crd__kernel_block_load(w->a.dtype, n, w->x + (outer * w->a.length + done) * w->size, 1, &v);
    if (!done) best.natural[0] = v.natural[0]; /* the bits of any carrier */
    for (size_t i = done ? 0 : 1; i < n; i++) {
      if (!beats(w, &v, i, &best, 0)) continue;
      best.natural[0] = v.natural[i];
      *y = (int64_t)(done + i);
    }
  }
}

static void arg_columns(const job *w, size_t outer, size_t first, size_t n) {
  int64_t *const y = (int64_t *)(void *)w->y + outer * w->a.inner + first;
  crd__kernel_block v, best;
  if (w->a.inner == 1) {
    arg_column(w, outer, y);
    return;
  }
  for (size_t j = 0; j < w->a.length; j++) {
    const size_t at = (outer * w->a.length + j) * w->a.inner + first;
    crd__kernel_block_load(w->a.dtype, n, w->x + at * w->size, 1, j ? &v : &best);
    for (size_t i = 0; i < n; i++) {
      if (j && !beats(w, &v, i, &best, i)) continue;
      if (j) best.natural[i] = v.natural[i];
      y[i] = (int64_t)j;
    }
  }
}

static void arg_span(void *arg, size_t from, size_t to) { each_block(arg, from, to, arg_columns); }

void crd__kernel_arg(unsigned threads, const crd__kernel_along *a, bool least, bool last,
                     const void *x, int64_t *y) {
  job w = {
    .a = *a, .least = least, .last = last, .size = crd_dtype_size(a->dtype), .x = x, .y = (char *)y
  };
  run_blocks(threads, &w, arg_span);
}

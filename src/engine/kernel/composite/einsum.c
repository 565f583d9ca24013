/*
 * einsum.c -- see einsum.h: a block of the last index of the result at a time, over which the
 * products are vectorised; threads share the other indices.
 */
#include "engine/kernel/composite/einsum.h"
#include "base/parallel.h"
#include "engine/kernel/element.h"

#include <string.h>

typedef struct {
  const crd__kernel_einsum *e;
  const char *factors[CRD__EINSUM_FACTORS];
  char *y;
  size_t columns; /* length of the last index of the result; 1 if it has none */
  size_t terms;   /* number of products in a sum */
} work;

typedef struct {
  ptrdiff_t at[CRD__EINSUM_FACTORS], y;
} offsets;

static size_t count(const crd__kernel_einsum *e, size_t from, size_t to) {
  size_t n = 1;
  for (size_t i = from; i < to; i++) n *= e->size[i];
  return n;
}

/* Adds the offsets of the number-th combination of the indices [from, to). */
static void move(const crd__kernel_einsum *e, size_t from, size_t to, size_t number, offsets *o) {
  for (size_t i = to; i-- > from;) {
    const ptrdiff_t digit = (ptrdiff_t)(number % e->size[i]);
    number /= e->size[i];
    for (size_t f = 0; f < e->factors; f++) o->at[f] += digit * e->stride[f][i];
    o->y += digit * e->result[i];
  }
}

static void load(const work *w, size_t factor, const offsets *o, size_t n, crd__kernel_block *to) {
  const crd__kernel_einsum *const e = w->e;
  const ptrdiff_t step = e->kept ? e->stride[factor][e->kept - 1] : 0;
  crd__kernel_block_load(e->dtype, n,
                         w->factors[factor] + o->at[factor] * (ptrdiff_t)crd_dtype_size(e->dtype),
                         step, to);
}

/* Multiply and add in the carrier; integers as unsigned: the bits are the same. */
static void multiply(crd__kernel_carrier carrier, size_t n, const crd__kernel_block *by,
                     crd__kernel_block *x) {
  if (carrier == CRD__REAL)
    for (size_t j = 0; j < n; j++) x->real[j] *= by->real[j];
  else
    for (size_t j = 0; j < n; j++) x->natural[j] *= by->natural[j];
}

static void add(crd__kernel_carrier carrier, size_t n, const crd__kernel_block *x,
                crd__kernel_block *sums) {
  if (carrier == CRD__REAL)
    for (size_t j = 0; j < n; j++) sums->real[j] += x->real[j];
  else
    for (size_t j = 0; j < n; j++) sums->natural[j] += x->natural[j];
}

/* Sums all terms of n neighbouring elements of the result. */
static void sum_block(const work *w, const offsets *start, size_t n, crd__kernel_block *sums) {
  const crd__kernel_einsum *const e = w->e;
  const crd__kernel_carrier carrier = crd__kernel_carrier_of(e->dtype);
  crd__kernel_block x, by;
  memset(sums, 0, sizeof *sums);
  for (size_t t = 0; t < w->terms; t++) {
    offsets o = *start;
    move(e, e->kept, e->indices, t, &o);
    load(w, 0, &o, n, &x);
    for (size_t f = 1; f < e->factors; f++) {
      load(w, f, &o, n, &by);
      multiply(carrier, n, &by, &x);
    }
    add(carrier, n, &x, sums);
  }
}

static void run_rows(void *arg, size_t from, size_t to) {
  const work *const w = arg;
  const crd__kernel_einsum *const e = w->e;
  const ptrdiff_t size = (ptrdiff_t)crd_dtype_size(e->dtype);
  const size_t last = e->kept ? e->kept - 1 : 0;
  for (size_t i = from; i < to; i++) {
    offsets row = { { 0 }, 0 };
    move(e, 0, last, i, &row);
    for (size_t j = 0; j < w->columns; j += CRD__BLOCK) {
      const size_t n = w->columns - j < CRD__BLOCK ? w->columns - j : CRD__BLOCK;
      crd__kernel_block sums;
      offsets o = row;
      for (size_t f = 0; e->kept && f < e->factors; f++)
        o.at[f] += (ptrdiff_t)j * e->stride[f][last];
      o.y += e->kept ? (ptrdiff_t)j * e->result[last] : 0;
      sum_block(w, &o, n, &sums);
      crd__kernel_block_store(e->dtype, n, &sums, w->y + o.y * size, e->kept ? e->result[last] : 1);
    }
  }
}

void crd__kernel_einsum_run(unsigned threads, const crd__kernel_einsum *e,
                            const void *const factors[CRD__EINSUM_FACTORS], void *y) {
  const size_t last = e->kept ? e->kept - 1 : 0;
  work w = {
    .e = e, .y = y, .columns = e->kept ? e->size[last] : 1, .terms = count(e, e->kept, e->indices)
  };
  for (size_t f = 0; f < e->factors; f++) w.factors[f] = factors[f];
  if (e->zeros) memset(y, 0, e->zeros * crd_dtype_size(e->dtype));
  crd__parallel_spans(threads, count(e, 0, last), 1 + 16384 / (w.columns * w.terms + 1), run_rows,
                      &w);
}

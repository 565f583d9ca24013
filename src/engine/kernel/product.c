/* product.c -- matrix products of any type (product.h): threads share the rows of the result, a
 * block of columns at a time, in the widest type of their kind (element.h). */
#include "engine/kernel/product.h"
#include "base/parallel.h"
#include "engine/kernel/element.h"

#include <string.h>

typedef struct {
  const crd__kernel_matrix_product *p;
  char *y;
} work;

/* Add x * row to sums, for n elements of a row of b. Integers as unsigned: the bits are the
 * same. */
static void add_row(crd__kernel_carrier carrier, size_t n, const crd__kernel_block *x,
                    const crd__kernel_block *row, crd__kernel_block *sums) {
  if (carrier == CRD__REAL)
    for (size_t j = 0; j < n; j++) sums->real[j] += x->real[0] * row->real[j];
  else
    for (size_t j = 0; j < n; j++) sums->natural[j] += x->natural[0] * row->natural[j];
}

static void scale(crd__kernel_carrier carrier, size_t n, double alpha, crd__kernel_block *sums) {
  const uint64_t whole = carrier == CRD__REAL ? 0 : (uint64_t)(int64_t)alpha; /* it may be NaN */
  for (size_t j = 0; j < n; j++) {
    if (carrier == CRD__REAL) sums->real[j] *= alpha;
    else sums->natural[j] *= whole;
  }
}

static void run_rows(void *arg, size_t from, size_t to) {
  const work *const w = arg;
  const crd__kernel_matrix_product *const p = w->p;
  const size_t size = crd_dtype_size(p->dtype);
  const crd__kernel_carrier carrier = crd__kernel_carrier_of(p->dtype);
  for (size_t i = from; i < to; i++)
    for (size_t j = 0; j < p->columns; j += CRD__BLOCK) {
      const size_t n = p->columns - j < CRD__BLOCK ? p->columns - j : CRD__BLOCK;
      crd__kernel_block sums, x, row;
      memset(&sums, 0, sizeof sums);
      for (size_t k = 0; k < p->inner; k++) {
        const ptrdiff_t a = (ptrdiff_t)i * p->a.row + (ptrdiff_t)k * p->a.column;
        const ptrdiff_t b = (ptrdiff_t)k * p->b.row + (ptrdiff_t)j * p->b.column;
        crd__kernel_block_load(p->dtype, 1, (const char *)p->a.data + a * (ptrdiff_t)size, 1, &x);
        crd__kernel_block_load(p->dtype, n, (const char *)p->b.data + b * (ptrdiff_t)size,
                               p->b.column, &row);
        add_row(carrier, n, &x, &row, &sums);
      }
      if (p->alpha != 1) scale(carrier, n, p->alpha, &sums);
      crd__kernel_block_store(p->dtype, n, &sums, w->y + (i * p->columns + j) * size, 1);
    }
}

void crd__kernel_matrix_product_run(unsigned threads, const crd__kernel_matrix_product *p,
                                    void *y) {
  work w = { p, y };
  const size_t each = p->inner * p->columns;
  crd__parallel_spans(threads, p->rows, 1 + 65536 / (each + 1), run_rows, &w);
}

void crd__kernel_matrix_sum_run(const crd__kernel_matrix_sum *s, const void *c, void *y) {
  const size_t size = crd_dtype_size(s->dtype);
  const crd__kernel_carrier carrier = crd__kernel_carrier_of(s->dtype);
  crd__kernel_block beta = { { s->beta } };
  if (carrier != CRD__REAL) beta.whole[0] = (int64_t)s->beta;
  for (size_t i = 0; i < s->rows; i++)
    for (size_t j = 0; j < s->columns; j += CRD__BLOCK) {
      const size_t n = s->columns - j < CRD__BLOCK ? s->columns - j : CRD__BLOCK;
      const ptrdiff_t at = (ptrdiff_t)i * s->row + (ptrdiff_t)j * s->column;
      char *const to = (char *)y + (i * s->columns + j) * size;
      crd__kernel_block sums, row;
      crd__kernel_block_load(s->dtype, n, to, 1, &sums);
      crd__kernel_block_load(s->dtype, n, (const char *)c + at * (ptrdiff_t)size, s->column, &row);
      add_row(carrier, n, &beta, &row, &sums);
      crd__kernel_block_store(s->dtype, n, &sums, to, 1);
    }
}

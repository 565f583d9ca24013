/*
 * drawn.c -- adds a block of rows to the sums of many bootstrap resamples at once.
 *
 * The halves of a term are integers up to 2^40: weights are at most 2^16 (data/predictions.c), so
 * the upper half, in units of 2^-24, is too. A row is drawn at most 12 times and a block has at
 * most 512 rows: sums stay below 12 * 512 * 2^40 < 2^53, where float64 is exact.
 */
#include "metric/drawn.h"
#include "math/product.h"
#include "metric/resample.h"

#include <string.h>

_Static_assert((CRD__DRAWS_MAX * CRD__BLOCK_ROWS) < 1 << 13, "sums of halves are below 2^53");

/* Adds one half of all terms, in units of 2^(shift - 64), times the draws. */
static void add_half(const crd__metric_drawn *d, const double *half, unsigned shift, size_t first,
                     size_t step, size_t columns) {
  const crd__math_matrix draws = { d->draws, d->rows->count, 1 },
                         terms = { half, CRD__DRAWN_PANEL, 1 };
  double *const sums = d->scratch->sums;
  memset(sums, 0, d->samples * CRD__DRAWN_PANEL * sizeof *sums);
  crd__math_product_add(d->samples, columns, d->rows->count, draws, terms, sums, CRD__DRAWN_PANEL);
  for (size_t s = 0; s < d->samples; s++) {
    crd__sum *const cells = d->cells + s * d->stride + first;
    for (size_t j = 0; j < columns; j++) {
      const uint64_t sum = (uint64_t)(int64_t)sums[s * CRD__DRAWN_PANEL + j];
      crd__sum_merge(&cells[j * step], (crd__sum){ sum >> 1 >> (63 - shift), sum << shift });
    }
  }
}

void crd__metric_drawn_panel(const crd__metric_drawn *d, size_t first, size_t step,
                             size_t columns) {
  add_half(d, d->scratch->high, 40, first, step, columns);
  add_half(d, d->scratch->low, 0, first, step, columns);
}

static crd__sum times(crd__sum term, uint64_t count) {
  const uint64_t low = (term.fraction & UINT32_MAX) * count;
  const uint64_t high = (term.fraction >> 32) * count + (low >> 32);
  return (crd__sum){ term.whole * count + (high >> 32), high << 32 | (low & UINT32_MAX) };
}

void crd__metric_drawn_finish(const crd__metric_drawn *d) {
  crd__metric_drawn_scratch *const scratch = d->scratch;
  for (size_t s = 0; s < d->samples; s++) {
    const double *const draws = d->draws + s * d->rows->count;
    crd__sum *const cells = d->cells + s * d->stride;
    for (size_t t = 0; t < scratch->listed; t++) {
      const crd__metric_drawn_term *const each = &scratch->list[t];
      crd__sum_merge(&cells[each->cell], times(each->term, (uint64_t)(int64_t)draws[each->row]));
    }
  }
  scratch->listed = 0;
}

void crd__metric_drawn_add(const crd__metric_drawn *d, size_t cell, size_t row, double term) {
  crd__metric_drawn_scratch *const scratch = d->scratch;
  crd__metric_drawn_term *const next = &scratch->list[scratch->listed++];
  *next = (crd__metric_drawn_term){ .cell = cell, .row = row };
  crd__sum_add(&next->term, term);
  if (scratch->listed == CRD__DRAWN_LIST) crd__metric_drawn_finish(d);
}

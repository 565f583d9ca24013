/*
 * drawn.h -- adds a block of rows to the sums of many bootstrap resamples at once.
 *
 * A term of a row counts in a resample as often as the row is drawn. Terms are integer multiples of
 * 2^-64 (base/sum.h) and draws are small integers, so their products and all sums of these are
 * exact: the order, the block and the instruction set do not matter, and a row drawn twice adds the
 * same bits as two rows.
 *
 * Where nearly every row has a term for the same few cells, as with the lowest bin of each class,
 * the sums are a matrix product, draws (samples x rows) times terms (rows x cells). It is computed
 * in float64, each term split into two halves whose sums stay below 2^53. Other terms are put in a
 * list and added one by one.
 */
#ifndef CRD_METRIC_DRAWN_H
#define CRD_METRIC_DRAWN_H

#include "base/sum.h"
#include "data/rows.h"

enum {
  CRD__DRAWN_SAMPLES = 64, /* resamples per call, at most */
  CRD__DRAWN_PANEL = 32,   /* columns of one matrix product */
  CRD__DRAWN_LIST = 1024,
};

/* A pending term. */
typedef struct {
  size_t cell, row;
  crd__sum term;
} crd__metric_drawn_term;

/* Scratch buffers of one worker. */
typedef struct {
  double high[CRD__BLOCK_ROWS * CRD__DRAWN_PANEL], low[CRD__BLOCK_ROWS * CRD__DRAWN_PANEL];
  double sums[CRD__DRAWN_SAMPLES * CRD__DRAWN_PANEL];
  crd__metric_drawn_term list[CRD__DRAWN_LIST];
  size_t listed;
} crd__metric_drawn_scratch;

typedef struct {
  const crd__data_rows *rows;
  const double *draws; /* draws[sample * rows->count + row] */
  size_t samples;      /* at most CRD__DRAWN_SAMPLES */
  crd__sum *cells;     /* the tally's cells in the first of these samples */
  size_t stride;       /* in cells, from one sample to the next */
  crd__metric_drawn_scratch *scratch;
} crd__metric_drawn;

/* Sets one term of a panel, which must be below 2^16, as a weight times a probability is. It is
 * split at 2^-24. */
static inline void crd__metric_drawn_set(const crd__metric_drawn *d, size_t row, size_t column,
                                         double term) {
  const size_t at = row * CRD__DRAWN_PANEL + column;
  const double scaled = term * 0x1p24, high = (double)(int64_t)scaled;
  d->scratch->high[at] = high;
  d->scratch->low[at] = (double)(int64_t)((scaled - high) * 0x1p40);
}

/* Adds a panel whose terms are all set: column j to the cell `first + j * step`. */
void crd__metric_drawn_panel(const crd__metric_drawn *d, size_t first, size_t step, size_t columns);

/* Appends one term to the list; `finish` adds the list to the cells and empties it. */
void crd__metric_drawn_add(const crd__metric_drawn *d, size_t cell, size_t row, double term);
void crd__metric_drawn_finish(const crd__metric_drawn *d);

#endif

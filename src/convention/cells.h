/*
 * cells.h -- bins between given edges, and calibration errors from their gaps.
 */
#ifndef CRD_CONVENTION_CELLS_H
#define CRD_CONVENTION_CELLS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
  double count, confidence, accuracy; /* the last two are means; 0 in an empty bin */
} crd__convention_cell;

typedef struct {
  const double *value;
  const unsigned char *is; /* whether the event occurred */
  size_t count;
} crd__convention_samples;

/* numpy.searchsorted: returns the number of ascending edges below the value or, with `equal`, not
 * above it. */
size_t crd__convention_edges_below(const double *edges, size_t count, double value, bool equal);

typedef struct {
  const double *edges;
  size_t cells;   /* one less than the number of edges */
  bool left;      /* bins are [a, b), otherwise (a, b] */
  bool outsiders; /* values outside the edges count in the first or last bin; else in none */
} crd__convention_cutting;

void crd__convention_cells_fill(const crd__convention_samples *samples,
                                const crd__convention_cutting *cutting,
                                crd__convention_cell *cells);

/* Turns sums into means, in bins that are not empty. */
void crd__convention_cells_divide(crd__convention_cell *cells, size_t count);

typedef enum { CRD__NORM_L1, CRD__NORM_L2, CRD__NORM_MAX, CRD__NORM_MEAN } crd__convention_norm;

/* Returns the calibration error from the gaps of bins. L1, L2: weighted by count / rows, where
 * `rows` may exceed the rows in all bins; MAX: the largest; MEAN: the mean over non-empty bins. */
double crd__convention_cells_error(const crd__convention_cell *cells, size_t count, size_t rows,
                                   crd__convention_norm norm);

/* ---- Edges, with the rounding of other packages. */

/* numpy.linspace(0, 1, bins + 1): i * (1 / bins). */
void crd__convention_edges_numpy(double *edges, size_t bins);
/* torch.linspace: from 0 up to the middle, from 1 down to it, with fused multiply-add of 1 / bins;
 * `single`: in float32. */
void crd__convention_edges_torch(double *edges, size_t bins, bool single);

#endif

/*
 * cells.h -- bins between given edges, and the errors that are made of their gaps.
 */
#ifndef CRD_CONVENTION_CELLS_H
#define CRD_CONVENTION_CELLS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
  double count, confidence, accuracy; /* the last two are means; 0 in an empty cell */
} crd__convention_cell;

typedef struct {
  const double *value;
  const unsigned char *is; /* the event came true */
  size_t count;
} crd__convention_samples;

/* numpy.searchsorted: how many of the ascending edges are below the value; with `equal`, those
 * equal to it are counted too. */
size_t crd__convention_edges_below(const double *edges, size_t count, double value, bool equal);

typedef struct {
  const double *edges;
  size_t cells;   /* one less than there are edges */
  bool left;      /* a cell is [a, b), otherwise (a, b] */
  bool outsiders; /* values beyond the outer edges belong to the outer cells, else to none */
} crd__convention_cutting;

void crd__convention_cells_fill(const crd__convention_samples *samples,
                                const crd__convention_cutting *cutting,
                                crd__convention_cell *cells);

/* Sums become means, in cells that are not empty. */
void crd__convention_cells_divide(crd__convention_cell *cells, size_t count);

typedef enum { CRD__NORM_L1, CRD__NORM_L2, CRD__NORM_MAX, CRD__NORM_MEAN } crd__convention_norm;

/* L1, L2: gaps weighted by count / rows, where `rows` may be more than there are in the cells; MAX;
 * MEAN: of the cells that are not empty. */
double crd__convention_cells_error(const crd__convention_cell *cells, size_t count, size_t rows,
                                   crd__convention_norm norm);

/* ---- Edges, as others round them. */

/* numpy.linspace(0, 1, bins + 1): i * (1 / bins). */
void crd__convention_edges_numpy(double *edges, size_t bins);
/* torch.linspace: from 0 up to the middle, from 1 down to it, in fused steps of 1 / bins. */
void crd__convention_edges_torch(double *edges, size_t bins, bool single);

#endif

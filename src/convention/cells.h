/*
 * cells.h -- bins between given edges, and the errors that are made of their gaps.
 */
#ifndef CRD_CONVENTION_CELLS_H
#define CRD_CONVENTION_CELLS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
  double count, confidence, accuracy; /* the last two are means; 0 in an empty cell */
} crd__cell;

typedef struct {
  const double *value;
  const unsigned char *is; /* the event came true */
  size_t count;
} crd__samples;

/* numpy.searchsorted: how many of the ascending edges are below the value; with `equal`, those
 * equal to it are counted too. */
size_t crd__edges_below(const double *edges, size_t count, double value, bool equal);

typedef struct {
  const double *edges;
  size_t cells;   /* one less than there are edges */
  bool left;      /* a cell is [a, b), otherwise (a, b] */
  bool outsiders; /* values beyond the outer edges belong to the outer cells, else to none */
} crd__cutting;

void crd__cells_fill(const crd__samples *samples, const crd__cutting *cutting, crd__cell *cells);

/* Sums become means, in cells that are not empty. */
void crd__cells_divide(crd__cell *cells, size_t count);

typedef enum { CRD__NORM_L1, CRD__NORM_L2, CRD__NORM_MAX, CRD__NORM_MEAN } crd__norm;

/* L1, L2: gaps weighted by count / rows, where `rows` may be more than there are in the cells; MAX;
 * MEAN: of the cells that are not empty. */
double crd__cells_error(const crd__cell *cells, size_t count, size_t rows, crd__norm norm);

/* ---- Edges, as others round them. */

/* numpy.linspace(0, 1, bins + 1): i * (1 / bins). */
void crd__edges_numpy(double *edges, size_t bins);
/* torch.linspace: from 0 up to the middle, from 1 down to it, in fused steps of 1 / bins. */
void crd__edges_torch(double *edges, size_t bins, bool single);

#endif

/*
 * cells.h -- pools correct, or incorrect, rows of nearly equal confidence, for kernel estimates.
 *
 * Up to CRD__CELLS distinct confidences, each is a cell. Beyond, a cell is a bin of that grid, at
 * the mean confidence of its rows. The error of one row's kernel, of width s, is then at most
 * 1 / (8 CRD__CELLS^2 s^2) = 7.5e-9 / s^2 of its height, and a third of that if rows are spread
 * evenly.
 */
#ifndef CRD_PROFILE_CELLS_H
#define CRD_PROFILE_CELLS_H

#include "metric/ranking.h"

enum { CRD__CELLS = 4096 };

typedef struct {
  double place;  /* confidence */
  double weight; /* above 0 */
  size_t end;    /* its rows in the ranking are those from the end of the previous cell to here */
} crd__profile_cell;

typedef struct {
  bool right; /* of the correct rows, or of the incorrect ones */
  size_t count;
  crd__profile_cell *items;
  double low, high;      /* confidences of rows with weight */
  double total, squares; /* sums of weights, and of their squares */
} crd__profile_cells;

/* Returns the weight of a row among correct, or incorrect, rows; 0 if it is not one of them. */
static inline double crd__profile_side_weight(const crd__metric_ranking *ranking, size_t index,
                                              bool right) {
  return crd__metric_ranking_correct(ranking, index) == right
             ? crd__metric_ranking_weight(ranking, index)
             : 0;
}

/* Makes the cells of the correct, or incorrect, rows; the caller clears them. */
crd_status crd__profile_cells_make(crd_context *ctx, const crd__metric_ranking *ranking, bool right,
                                   crd__profile_cells *out);
/*
 * Returns the bandwidth of a Gaussian kernel for the density of these rows:
 *   h = 0.9 min(standard deviation, interquartile range / 1.34) n^(-1/5)   (Silverman 1986, 3.31),
 * at least 0.01. n is the effective sample size, (sum w)^2 / sum w^2; an interquartile range of 0
 * is ignored.
 */
double crd__profile_cells_width(const crd__metric_ranking *ranking,
                                const crd__profile_cells *cells);
void crd__profile_cells_clear(const crd_allocator *alloc, crd__profile_cells *cells);

#endif

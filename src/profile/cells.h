/*
 * cells.h -- right, or wrong, rows of nearly the same confidence as one, for kernels.
 *
 * Up to CRD__CELLS different confidences, each is a cell. Beyond, a cell is a bin of that grid and
 * stands at the mean confidence of its rows. The kernel of one row, of width s, is then wrong by at
 * most 1 / (8 CRD__CELLS^2 s^2) = 7.5e-9 / s^2 of its height, and by a third of that if rows are
 * spread evenly.
 */
#ifndef CRD_PROFILE_CELLS_H
#define CRD_PROFILE_CELLS_H

#include "metric/ranking.h"

enum { CRD__CELLS = 4096 };

typedef struct {
  double place;  /* confidence */
  double weight; /* above 0 */
  size_t end;    /* its rows are among the ranking's from the cell before up to this one */
} crd__profile_cell;

typedef struct {
  bool right; /* of the correct rows, or of the others */
  size_t count;
  crd__profile_cell *items;
  double low, high;      /* confidences of rows that weigh something */
  double total, squares; /* sums of weights, and of their squares */
} crd__profile_cells;

/* What a row of the ranking weighs among rows that are right, or among the others. */
static inline double crd__profile_side_weight(const crd__metric_ranking *ranking, size_t index,
                                              bool right) {
  return crd__metric_ranking_correct(ranking, index) == right
             ? crd__metric_ranking_weight(ranking, index)
             : 0;
}

crd_status crd__profile_cells_make(crd_context *ctx, const crd__metric_ranking *ranking, bool right,
                                   crd__profile_cells *out);
/*
 * Width of a Gaussian kernel for the density of these rows:
 *   h = 0.9 min(deviation, quartile distance / 1.34) n^(-1/5)   (Silverman 1986, eq. 3.31),
 * but not below 0.01. n is the effective sample size, (sum w)^2 / sum w^2; the quartiles are left
 * out where they agree.
 */
double crd__profile_cells_width(const crd__metric_ranking *ranking,
                                const crd__profile_cells *cells);
void crd__profile_cells_clear(const crd_allocator *alloc, crd__profile_cells *cells);

#endif

/*
 * affinity.h -- how close rows of a matrix are to one another, as t-SNE puts it.
 *
 * Row i chooses a neighbour j with probability p(j|i) ~ exp(-b_i |x_i - x_j|^2); the precision b_i
 * is such that the choice is as uncertain as one among `perplexity` equals:
 *
 *   -sum_j p(j|i) log p(j|i) = log(perplexity).
 *
 * Beyond three times as many neighbours nothing is chosen any more, so only these are kept, and
 * P_ij = (p(j|i) + p(i|j)) / (2 rows) is a sparse symmetric matrix whose sum is 1.
 *
 * van der Maaten, Hinton: Visualizing data using t-SNE (JMLR 9, 2008); van der Maaten: Accelerating
 * t-SNE using tree-based algorithms (JMLR 15, 2014).
 */
#ifndef CRD_MATH_TSNE_AFFINITY_H
#define CRD_MATH_TSNE_AFFINITY_H

#include "base/context.h"

/* Row i has the elements start[i] .. start[i + 1] - 1. */
typedef struct {
  size_t rows;
  size_t *start, *column;
  double *value;
} crd__math_affinities;

/* x: rows x width, finite, squares of differences too; perplexity between 1 and rows - 1. */
crd_status crd__math_affinities_compute(crd_context *ctx, const double *x, size_t rows,
                                        size_t width, double perplexity, crd__math_affinities *out);
void crd__math_affinities_free(const crd_allocator *alloc, crd__math_affinities *affinities);

/* p(j|i) in place of the squared distances of `count` neighbours, ascending. Where more than
 * `perplexity` of them are equally near, these share alike. */
void crd__math_affinity_row(double *squares, size_t count, double perplexity);

#endif

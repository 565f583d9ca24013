/*
 * affinity.h -- affinities between the rows of a matrix for t-SNE.
 *
 * Row i chooses a neighbour j with probability p(j|i) ~ exp(-b_i |x_i - x_j|^2); the precision b_i
 * is chosen such that the distribution has the given perplexity:
 *
 *   -sum_j p(j|i) log p(j|i) = log(perplexity).
 *
 * Beyond 3 * perplexity neighbours the probabilities are negligible, so only these are kept, and
 * P_ij = (p(j|i) + p(i|j)) / (2 rows) is a sparse symmetric matrix whose sum is 1.
 *
 * van der Maaten, Hinton: Visualizing data using t-SNE (JMLR 9, 2008); van der Maaten: Accelerating
 * t-SNE using tree-based algorithms (JMLR 15, 2014).
 */
#ifndef CRD_MATH_TSNE_AFFINITY_H
#define CRD_MATH_TSNE_AFFINITY_H

#include "base/context.h"

/* Sparse rows: row i has the elements start[i] .. start[i + 1] - 1. */
typedef struct {
  size_t rows;
  size_t *start, *column;
  double *value;
} crd__math_affinities;

/* Computes P of x: rows x width, with finite elements and squared differences; the perplexity is
 * between 1 and rows - 1. */
crd_status crd__math_affinities_compute(crd_context *ctx, const double *x, size_t rows,
                                        size_t width, double perplexity, crd__math_affinities *out);
void crd__math_affinities_free(const crd_allocator *alloc, crd__math_affinities *affinities);

/* Replaces the ascending squared distances of `count` neighbours by p(j|i). If more than
 * `perplexity` of them are equally near, these get equal probabilities. */
void crd__math_affinity_row(double *squares, size_t count, double perplexity);

#endif

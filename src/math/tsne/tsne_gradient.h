/*
 * tsne_gradient.h -- gradient of the t-SNE objective with respect to the points.
 *
 * With q_ij = 1 / (1 + |y_i - y_j|^2) and Z their sum, the Kullback-Leibler divergence of q / Z
 * from P has the gradient
 *
 *   g_i = 4 (e sum_j P_ij q_ij (y_i - y_j) - sum_j q_ij^2 (y_i - y_j) / Z).
 *
 * The first sum is sparse (affinity.h), the second uses a tree (quadtree.h). Early exaggeration
 * e > 1 strengthens attraction, so that clusters form before they block each other's way.
 */
#ifndef CRD_MATH_TSNE_TSNE_GRADIENT_H
#define CRD_MATH_TSNE_TSNE_GRADIENT_H

#include "math/tsne/affinity.h"
#include "math/tsne/quadtree.h"

typedef struct {
  const crd__math_affinities *affinities;
  double angle;
  crd__math_quadtree *tree;
  double *push, *share; /* rows x 2: the second sum; rows: each row's part of Z */
} crd__math_tsne_forces;

/* Initialises forces; borrows the affinities. */
crd_status crd__math_tsne_forces_init(crd_context *ctx, const crd__math_affinities *affinities,
                                      double angle, crd__math_tsne_forces *out);
void crd__math_tsne_forces_free(const crd_allocator *alloc, crd__math_tsne_forces *forces);

/* Computes the gradient at y, both rows x 2. The same bits for any number of threads. */
crd_status crd__math_tsne_gradient(crd_context *ctx, crd__math_tsne_forces *forces,
                                   double exaggeration, const double *y, double *gradient);

#endif

/*
 * tsne_gradient.h -- which way the points of a map should move for it to tell who is close to whom.
 *
 * With q_ij = 1 / (1 + |y_i - y_j|^2) and Z their sum, the divergence of q / Z from P has the
 * gradient
 *
 *   g_i = 4 (e sum_j P_ij q_ij (y_i - y_j) - sum_j q_ij^2 (y_i - y_j) / Z).
 *
 * The first sum has few terms (affinity.h), the second is a walk in a tree (quadtree.h). e > 1
 * exaggerates what attracts, so that groups find together before they are in each other's way.
 */
#ifndef CRD_MATH_TSNE_TSNE_GRADIENT_H
#define CRD_MATH_TSNE_TSNE_GRADIENT_H

#include "math/tsne/affinity.h"
#include "math/tsne/quadtree.h"

typedef struct {
  const crd__math_affinities *affinities;
  double angle;
  crd__math_quadtree *tree;
  double *push, *share; /* rows x 2 and rows: the second sum, and what each row adds to Z */
} crd__math_tsne_forces;

/* The affinities must outlive it. */
crd_status crd__math_tsne_forces_init(crd_context *ctx, const crd__math_affinities *affinities,
                                      double angle, crd__math_tsne_forces *out);
void crd__math_tsne_forces_free(const crd_allocator *alloc, crd__math_tsne_forces *forces);

/* y and gradient are rows x 2. The same bits for any number of threads. */
crd_status crd__math_tsne_gradient(crd_context *ctx, crd__math_tsne_forces *forces,
                                   double exaggeration, const double *y, double *gradient);

#endif

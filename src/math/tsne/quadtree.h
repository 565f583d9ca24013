/*
 * quadtree.h -- repulsive forces of t-SNE in time n log n (Barnes-Hut).
 *
 * The force on point i is
 *
 *   f_i = sum_j q_ij^2 (y_i - y_j),   z_i = sum_j q_ij,   q_ij = 1 / (1 + |y_i - y_j|^2).
 *
 * Points in a square whose side is less than `angle` times its distance from i act as one, at their
 * centre of mass (Barnes, Hut). At angle 0 every point acts individually.
 *
 * Points are sorted along a Z-order curve, on which every square of the tree is a range, so that
 * the tree is an array in depth-first order. It is built by one thread and each point walks it
 * independently: the number of threads does not matter. A square is halved at most 32 times; points
 * that are still together then are one point to all others, so duplicates cost nothing.
 *
 * van der Maaten: Accelerating t-SNE using tree-based algorithms (JMLR 15, 2014).
 */
#ifndef CRD_MATH_TSNE_QUADTREE_H
#define CRD_MATH_TSNE_QUADTREE_H

#include "base/context.h"

typedef struct crd__math_quadtree crd__math_quadtree;

/* Allocates a tree for this many points. */
crd_status crd__math_quadtree_create(crd_context *ctx, size_t points, crd__math_quadtree **out);
void crd__math_quadtree_destroy(const crd_allocator *alloc, crd__math_quadtree *tree);

/* Builds the tree of y: points x 2, finite. Angles above 0.7 act as 0.7, so that a point is never
 * considered outside a square that contains it. */
void crd__math_quadtree_build(crd__math_quadtree *tree, const double *y, double angle);

/* Returns the point at a position on the curve: close positions walk the same nodes. */
size_t crd__math_quadtree_point(const crd__math_quadtree *tree, size_t place);

/* Computes f and z of the point at a position. */
void crd__math_quadtree_repel(const crd__math_quadtree *tree, size_t place, double f[2], double *z);

#endif

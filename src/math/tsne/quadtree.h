/*
 * quadtree.h -- how points of the plane repel one another in t-SNE, in time n log n.
 *
 * Point i is pushed by all others with
 *
 *   f_i = sum_j q_ij^2 (y_i - y_j),   z_i = sum_j q_ij,   q_ij = 1 / (1 + |y_i - y_j|^2).
 *
 * Points that lie together in a square whose side is less than `angle` times its distance from i
 * act as one, at their centre of mass (Barnes, Hut). At angle 0 every point acts for itself.
 *
 * Points are sorted along a Z-shaped curve, on which every square of the tree is a range, so that
 * the tree is an array in the order in which it is walked. It is made by one thread and each point
 * walks it alone: the number of threads changes nothing. A square is halved 32 times at the most;
 * what still lies together then is one point to everybody, so copies cost nothing.
 *
 * van der Maaten: Accelerating t-SNE using tree-based algorithms (JMLR 15, 2014).
 */
#ifndef CRD_MATH_TSNE_QUADTREE_H
#define CRD_MATH_TSNE_QUADTREE_H

#include "base/context.h"

typedef struct crd__math_quadtree crd__math_quadtree;

/* Room for this many points. */
crd_status crd__math_quadtree_create(crd_context *ctx, size_t points, crd__math_quadtree **out);
void crd__math_quadtree_destroy(const crd_allocator *alloc, crd__math_quadtree *tree);

/* Plant it anew: y is points x 2, finite. Angles above 0.7 are as good as that: a point is never
 * taken to be outside a square that holds it. */
void crd__math_quadtree_build(crd__math_quadtree *tree, const double *y, double angle);

/* The point that is at this place of the curve: neighbours on it walk the same nodes. */
size_t crd__math_quadtree_point(const crd__math_quadtree *tree, size_t place);

/* f and z of the point at this place. */
void crd__math_quadtree_repel(const crd__math_quadtree *tree, size_t place, double f[2], double *z);

#endif

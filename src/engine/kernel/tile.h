/* tile.h -- arrays repeated along their dimensions, and triangles of matrices. */
#ifndef CRD_ENGINE_KERNEL_TILE_H
#define CRD_ENGINE_KERNEL_TILE_H

#include "credence/array.h"

#include <stdbool.h>

/* An array of shape `dims`, repeated `repeats[d]` times along dimension d. */
typedef struct {
  size_t rank;
  int64_t dims[CRD_RANK_MAX], repeats[CRD_RANK_MAX];
} crd__kernel_tiling;

/* Compute y from x, elements of `size` bytes; both are in C order. */
void crd__kernel_tile(unsigned threads, const crd__kernel_tiling *t, size_t size, const void *x,
                      void *y);
/* Compute the gradient of x, the sum over its copies. */
void crd__kernel_tile_back(unsigned threads, const crd__kernel_tiling *t, const float *dy,
                           float *dx);

/* Copy `count` matrices without the elements below diagonal k (lower: above it), which become 0.
 * Diagonal 0 is the main one, those above are positive. y may be x. */
typedef struct {
  size_t count, rows, columns, size;
  int64_t k;
  bool lower;
} crd__kernel_triangle;

void crd__kernel_trilu(unsigned threads, const crd__kernel_triangle *t, const void *x, void *y);

#endif

/*
 * walk.h -- iteration over several strided arrays of the same shape.
 *
 * Dimensions of length 1 are dropped, and neighbours that are contiguous in every array are merged,
 * so that the last dimension is as long as possible. The callback gets one run along that dimension
 * at a time; runs may be split, and may run on any thread.
 */
#ifndef CRD_ENGINE_KERNEL_WALK_H
#define CRD_ENGINE_KERNEL_WALK_H

#include "credence/array.h"

#include <stdbool.h>

enum { CRD__WALK_ARRAYS = 4 };

typedef struct {
  size_t arrays, rank; /* at least 1 */
  size_t total;        /* number of elements */
  size_t dims[CRD_RANK_MAX];
  ptrdiff_t steps[CRD__WALK_ARRAYS][CRD_RANK_MAX]; /* strides, in elements of that array */
} crd__kernel_walk;

/* Set up an iteration. `strides[a]` are array a's, in elements: 0 repeats, negative goes backwards;
 * NULL: C order. */
crd__kernel_walk crd__kernel_walk_make(size_t arrays, size_t rank, const int64_t *dims,
                                       const int64_t *const strides[]);

/* Called with `count` elements along the last dimension, from offset at[a] (in elements) of each
 * array. */
typedef void crd__kernel_walk_row(void *arg, const crd__kernel_walk *walk, size_t count,
                                  const ptrdiff_t *at);

void crd__kernel_walk_run(unsigned threads, const crd__kernel_walk *walk, crd__kernel_walk_row *row,
                          void *arg);

static inline ptrdiff_t crd__kernel_walk_step(const crd__kernel_walk *walk, size_t array) {
  return walk->steps[array][walk->rank - 1];
}

/* Compute the strides of C order. */
void crd__kernel_strides_make(size_t rank, const int64_t *dims, int64_t *strides);
/* Compute the strides with which an array of shape `from` is broadcast to `dims`: 0 where it
 * repeats. */
void crd__kernel_strides_broadcast(size_t from_rank, const int64_t *from, size_t rank,
                                   int64_t *strides);

#endif

/*
 * walk.h -- one walk over arrays of the same shape and any strides.
 *
 * Dimensions of length 1 go, and neighbours that follow on each other in every array become one, so
 * that the last dimension is as long as it can be. What is to be done is then done row by row along
 * that dimension; a row may be cut, and rows may run on any thread.
 */
#ifndef CRD_ENGINE_KERNEL_WALK_H
#define CRD_ENGINE_KERNEL_WALK_H

#include "credence/tensor.h"

#include <stdbool.h>

enum { CRD__WALK_ARRAYS = 4 };

typedef struct {
  size_t arrays, rank; /* at least 1 */
  size_t total;        /* elements */
  size_t dims[CRD_RANK_MAX];
  ptrdiff_t steps[CRD__WALK_ARRAYS][CRD_RANK_MAX]; /* in elements of that array */
} crd__kernel_walk;

/* `strides[a]` are array a's, in elements: 0 repeats, below 0 goes backwards; NULL: C order. */
crd__kernel_walk crd__kernel_walk_make(size_t arrays, size_t rank, const int64_t *dims,
                                       const int64_t *const strides[]);

/* `count` elements along the last dimension, from at[a] (in elements) of each array on. */
typedef void crd__kernel_walk_row(void *arg, const crd__kernel_walk *walk, size_t count,
                                  const ptrdiff_t *at);

void crd__kernel_walk_run(unsigned threads, const crd__kernel_walk *walk, crd__kernel_walk_row *row,
                          void *arg);

static inline ptrdiff_t crd__kernel_walk_step(const crd__kernel_walk *walk, size_t array) {
  return walk->steps[array][walk->rank - 1];
}

/* C order. */
void crd__kernel_strides_make(size_t rank, const int64_t *dims, int64_t *strides);
/* Of an array of shape `from`, seen in shape `dims` as NumPy broadcasts it: 0 where it repeats. */
void crd__kernel_strides_broadcast(size_t from_rank, const int64_t *from, size_t rank,
                                   int64_t *strides);

#endif

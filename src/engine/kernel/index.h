/*
 * index.h -- elements and slices of an array by index, read (GatherElements, GatherND) and written
 * (ScatterElements, ScatterND).
 *
 * An index tuple selects a slice of `inner` contiguous elements. Tuples are in lanes: those of
 * different lanes never select the same element, those of a lane are applied in their order. So
 * duplicates have the same result for any number of threads, and without a reduction the last one
 * wins.
 */
#ifndef CRD_ENGINE_KERNEL_INDEX_H
#define CRD_ENGINE_KERNEL_INDEX_H

#include "credence/array.h"

#include <stdbool.h>

typedef struct {
  crd_dtype dtype;      /* of the array */
  crd_dtype index_type; /* I32 or I64 */
  const void *index;    /* tuples of `depth` indices; negative ones count from the end */
  /* Lanes: their shape, and their strides in tuples and in elements of the array. */
  size_t rank, dims[CRD_RANK_MAX], tuples[CRD_RANK_MAX], bases[CRD_RANK_MAX];
  size_t count, step; /* number of tuples in a lane, and their stride */
  size_t depth;       /* a tuple indexes dimensions of these lengths and strides */
  size_t lengths[CRD_RANK_MAX], strides[CRD_RANK_MAX];
  size_t inner;
} crd__kernel_index;

/* How an update u changes an element x: u, x + u, x u, the greater or the lesser one. */
typedef enum {
  CRD__SCATTER_NONE,
  CRD__SCATTER_ADD,
  CRD__SCATTER_MUL,
  CRD__SCATTER_MAX,
  CRD__SCATTER_MIN
} crd__kernel_scatter_id;

/* True if all indices are in range; otherwise *bad is the first that is not, and *length that of
 * its dimension. */
bool crd__kernel_index_check(const crd__kernel_index *g, int64_t *bad, size_t *length);

/* Copy the selected slices to y, in the order of the tuples. */
void crd__kernel_index_gather(unsigned threads, const crd__kernel_index *g, const void *x, void *y);

/* Update the selected slices of y. */
void crd__kernel_index_scatter(unsigned threads, const crd__kernel_index *g,
                               crd__kernel_scatter_id id, const void *updates, void *y);

/* True if the gradient needs the values of the array and the updates. */
bool crd__kernel_scatter_reads(crd__kernel_scatter_id id);
/* Compute gradients, in float32: dx holds that with respect to the result, and then that with
 * respect to the array; du is that with respect to the updates. An overwritten update has none;
 * equal maxima share it in halves. `x`, a copy of the array, which is overwritten, and `updates`
 * are for crd__kernel_scatter_reads only. */
void crd__kernel_index_scatter_back(unsigned threads, const crd__kernel_index *g,
                                    crd__kernel_scatter_id id, float *x, const float *updates,
                                    float *dx, float *du);

#endif

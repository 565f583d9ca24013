/*
 * reduce.h -- parallel sums over rows, with the same bits for any number of threads.
 *
 * Rows are split into chunks of a size that depends on the data only; each chunk has its own
 * partial sums, and these are added in the order of the chunks.
 */
#ifndef CRD_BASE_REDUCE_H
#define CRD_BASE_REDUCE_H

#include "base/context.h"

/* Adds the contributions of rows from .. to-1 to `terms` sums, which are 0 at first. */
typedef void (*crd__partial_fn)(void *arg, size_t from, size_t to, double *sums);

/* The amount of work. Threads are used only from about a millisecond on: on a busy machine waking
 * them may take longer than they save. */
typedef struct {
  size_t rows;
  size_t work; /* operations per row, roughly; an exponential counts a dozen */
} crd__load;

/* Sums `terms` quantities over all rows into `sums`. */
crd_status crd__reduce(crd_context *ctx, crd__load load, size_t terms, crd__partial_fn fn,
                       void *arg, double *sums);

/* Returns the length of the scratch buffer `partial` of crd__reduce_in. */
size_t crd__reduce_cells(size_t rows, size_t terms);
/* Does the same without allocating. */
crd_status crd__reduce_in(crd_context *ctx, crd__load load, size_t terms, crd__partial_fn fn,
                          void *arg, double *partial, double *sums);

#endif

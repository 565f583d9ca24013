/*
 * reduce.h -- sums over rows by several threads, the same bits for any number of them.
 *
 * Rows are cut into chunks of a size that depends on the data alone; each chunk has partial sums of
 * its own, and these are added in the order of the chunks.
 */
#ifndef CRD_BASE_REDUCE_H
#define CRD_BASE_REDUCE_H

#include "base/context.h"

/* Adds what rows from .. to-1 contribute to `terms` sums, which are 0 at first. */
typedef void (*crd__partial_fn)(void *arg, size_t from, size_t to, double *sums);

/* How much there is to add. Threads are woken for what takes a millisecond and more: on a busy
 * machine they may have to be waited for longer than they save. */
typedef struct {
  size_t rows;
  size_t work; /* operations a row takes, roughly; an exponential is a dozen */
} crd__load;

crd_status crd__reduce(crd_context *ctx, crd__load load, size_t terms, crd__partial_fn fn,
                       void *arg, double *sums);

/* The same in memory that is kept from sum to sum: room for this many numbers. */
size_t crd__reduce_cells(size_t rows, size_t terms);
crd_status crd__reduce_in(crd_context *ctx, crd__load load, size_t terms, crd__partial_fn fn,
                          void *arg, double *partial, double *sums);

#endif

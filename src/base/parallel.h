/*
 * parallel.h -- parallel loops. Only these and ahead.h create threads.
 *
 * Work is split into chunks whose size depends on the data only, never on the number of threads.
 * Each worker has a slot for scratch buffers and partial results. Chunks are assigned dynamically,
 * so partial results must be merged by exact operations (base/sum.h) or written by row.
 */
#ifndef CRD_BASE_PARALLEL_H
#define CRD_BASE_PARALLEL_H

#include "base/context.h"

/* Returns the number of workers that crd__parallel_for uses for this many chunks: at least 1. */
unsigned crd__parallel_workers(const crd_context *ctx, size_t chunks);

/* Processes one chunk of rows. Reports failures with crd__fail to `local`, a context of this worker
 * alone; of several failures the lowest chunk's is returned, whatever the timing. */
typedef crd_status (*crd__chunk_fn)(crd_context *local, void *arg, unsigned worker, size_t from,
                                    size_t to);

/* Runs fn over [0, total) in chunks of `chunk`. Reports progress under `stage` (may be NULL); fails
 * with CRD_EINTERRUPTED after crd_context_interrupt. */
crd_status crd__parallel_for(crd_context *ctx, const char *stage, size_t total, size_t chunk,
                             crd__chunk_fn fn, void *arg);

/* Under the thread sanitizer grains are 1: most tests are small, and would use one thread only. */
#ifdef __has_feature
#if __has_feature(thread_sanitizer)
#define CRD__CUT_ALL 1
#endif
#endif
#ifndef CRD__CUT_ALL
#define CRD__CUT_ALL 0
#endif

/* Runs fn over [0, total) in at most `threads` (0: one per processor) spans of nearly equal length,
 * of at least `grain` each: for work that cannot fail, and whose result does not depend on where it
 * is split. Up to `grain` it runs on the calling thread. */
void crd__parallel_spans(unsigned threads, size_t total, size_t grain,
                         void (*fn)(void *arg, size_t from, size_t to), void *arg);

/* Sets the number of threads of other OpenMP libraries called from this thread; returns the old
 * one. */
unsigned crd__parallel_limit(unsigned threads);

#endif

/*
 * parallel.h -- the one place where threads are made.
 *
 * Work is cut into chunks whose size depends on the data only, never on the number of threads. A
 * worker owns one slot (its scratch and partial results); chunks are handed out to free workers, so
 * partial results must be merged by exact operations (base/sum.h) or written by row.
 */
#ifndef CRD_BASE_PARALLEL_H
#define CRD_BASE_PARALLEL_H

#include "base/context.h"

/* Workers that crd__parallel_for will use for this many chunks: at least 1. */
unsigned crd__parallel_workers(const crd_context *ctx, size_t chunks);

/* One chunk of rows. A failure is written with crd__fail into `local`, a context of this worker
 * alone; among several failures that of the lowest chunk is reported, whatever the timing. */
typedef crd_status (*crd__chunk_fn)(crd_context *local, void *arg, unsigned worker, size_t from,
                                    size_t to);

/* Run fn over [0, total) in chunks of `chunk`. Reports progress under `stage` (may be NULL) and
 * stops with EINTERRUPTED when asked. */
crd_status crd__parallel_for(crd_context *ctx, const char *stage, size_t total, size_t chunk,
                             crd__chunk_fn fn, void *arg);

/* Where the thread sanitizer looks on whatever can be cut is cut, or it would see one thread in
 * most tests, which are small: there a grain is 1. */
#ifdef __has_feature
#if __has_feature(thread_sanitizer)
#define CRD__CUT_ALL 1
#endif
#endif
#ifndef CRD__CUT_ALL
#define CRD__CUT_ALL 0
#endif

/* Run fn over [0, total) in at most `threads` (0: as many as there are processors) spans of nearly
 * the same length, of at least `grain` each: for work that cannot fail, and whose result does not
 * depend on where it is cut. Up to `grain` it stays on the calling thread. */
void crd__parallel_spans(unsigned threads, size_t total, size_t grain,
                         void (*fn)(void *arg, size_t from, size_t to), void *arg);

/* How many threads other libraries that use OpenMP take when this thread calls them; returns what
 * it was before. */
unsigned crd__parallel_limit(unsigned threads);

#endif

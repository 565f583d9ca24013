/*
 * ahead.h -- threads that make numbered pieces of work before they are needed.
 *
 * Pieces n, n + 1, ... are made into the slots of a ring, and taken in this order. A piece must be
 * a function of its number alone: then results do not depend on timing or on the number of threads.
 * Whoever takes a piece that no worker has begun makes it himself.
 */
#ifndef CRD_BASE_AHEAD_H
#define CRD_BASE_AHEAD_H

#include "base/context.h"

/*
 *   life      create -> next*, seek -> destroy
 *   owns      its threads; slots belong to the caller
 *   threads   one at a time
 */
typedef struct crd__ahead crd__ahead;

/* Makes a piece in a slot. Reports failures with crd__fail to `local`, a context of this worker
 * alone. Where crd__interrupted(local), the piece is no longer wanted: return soon, with any
 * status. `worker` is at most the number of workers, and none is used by two threads at once. */
typedef crd_status (*crd__ahead_fn)(crd_context *local, void *arg, unsigned worker, uint64_t number,
                                    size_t slot);

/* Returns the number of workers for a wish: 0 becomes 1 on machines of up to seven processors, and
 * a fourth of them on larger ones, up to eight. */
unsigned crd__ahead_workers(const crd_context *ctx, unsigned wish);

/* Starts `workers` threads, or fewer if the system has no more, which begin with piece 0. Needs at
 * least one slot; fn may be called with `worker` from 0 to `workers`. */
crd_status crd__ahead_create(crd_context *ctx, unsigned workers, size_t slots, crd__ahead_fn fn,
                             void *arg, crd__ahead **out);
/* Stops the threads; NULL is allowed. */
void crd__ahead_destroy(crd__ahead *ahead);

/* Continues with piece `number`; all slots are given back. */
void crd__ahead_seek(crd__ahead *ahead, uint64_t number);
/* Takes the next piece: slot *out is the caller's until the next call. Fails as the piece did, and
 * then tries it again at the next call. */
crd_status crd__ahead_next(crd_context *ctx, crd__ahead *ahead, size_t *out);

#endif

/* blocks.h -- pieces of memory that are released together. */
#ifndef CRD_ENGINE_BLOCKS_H
#define CRD_ENGINE_BLOCKS_H

#include "base/context.h"

enum { CRD__ALIGNMENT = 64 }; /* a cache line, and the widest vector */

/* How much several lists of blocks may have together. */
typedef struct {
  uint64_t limit, used; /* bytes */
} crd__engine_budget;

typedef struct {
  void **items;
  size_t count, capacity, bytes;
  crd__engine_budget *budget; /* NULL: there is none */
} crd__engine_arena;

/* `bytes` bytes, not zeroed, at a multiple of CRD__ALIGNMENT. ENOMEM where there are none, EINPUT
 * where the budget has none left: what a file asks for is refused before anyone tries. */
crd_status crd__engine_arena_add(crd_context *ctx, const crd_allocator *alloc,
                                 crd__engine_arena *blocks, size_t bytes, void *out);
void crd__engine_arena_clear(const crd_allocator *alloc, crd__engine_arena *blocks);

#endif

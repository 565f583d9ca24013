/* blocks.h -- an arena: blocks of memory that are released together. */
#ifndef CRD_ENGINE_BLOCKS_H
#define CRD_ENGINE_BLOCKS_H

#include "base/context.h"

enum { CRD__ALIGNMENT = 64 }; /* a cache line, and the widest vector */

/* A memory limit shared by several arenas. */
typedef struct {
  uint64_t limit, used; /* bytes */
} crd__engine_budget;

typedef struct {
  void **items;
  size_t count, capacity, bytes;
  crd__engine_budget *budget; /* NULL: no limit */
} crd__engine_arena;

/* Allocate `bytes` bytes, not zeroed, aligned to CRD__ALIGNMENT. Fails with EINPUT if the budget is
 * exceeded (a file may ask for anything), with ENOMEM if the allocator fails. */
crd_status crd__engine_arena_add(crd_context *ctx, const crd_allocator *alloc,
                                 crd__engine_arena *blocks, size_t bytes, void *out);
void crd__engine_arena_clear(const crd_allocator *alloc, crd__engine_arena *blocks);

#endif

/* blocks.h -- pieces of memory that are released together. */
#ifndef CRD_NET_BLOCKS_H
#define CRD_NET_BLOCKS_H

#include "base/context.h"

enum { CRD__ALIGNMENT = 64 }; /* a cache line, and the widest vector */

typedef struct {
  void **items;
  size_t count, capacity;
} crd__blocks;

/* `bytes` bytes, not zeroed, at a multiple of CRD__ALIGNMENT. */
crd_status crd__blocks_add(crd_context *ctx, const crd_allocator *alloc, crd__blocks *blocks,
                           size_t bytes, void *out);
void crd__blocks_clear(const crd_allocator *alloc, crd__blocks *blocks);

#endif

/* blocks.c -- an arena: blocks of memory that are released together. */
#include "engine/blocks.h"
#include "base/memory.h"

#include <string.h>

static crd_status grow(crd_context *ctx, const crd_allocator *alloc, crd__engine_arena *blocks) {
  if (blocks->count < blocks->capacity) return CRD_OK;
  const size_t capacity = blocks->capacity ? 2 * blocks->capacity : 16;
  void **const items = crd__resize(alloc, blocks->items, capacity, sizeof *items);
  if (!items) return crd__fail(ctx, CRD_ENOMEM, "no memory for a list of %zu blocks", capacity);
  blocks->items = items;
  blocks->capacity = capacity;
  return CRD_OK;
}

static crd_status spend(crd_context *ctx, crd__engine_arena *blocks, size_t bytes) {
  crd__engine_budget *const budget = blocks->budget;
  if (budget && bytes > budget->limit - budget->used)
    return crd__fail(ctx, CRD_EINPUT,
                     "the network needs more than the %llu MB of memory that this machine has",
                     (unsigned long long)(budget->limit >> 20));
  if (budget) budget->used += bytes;
  blocks->bytes += bytes;
  return CRD_OK;
}

crd_status crd__engine_arena_add(crd_context *ctx, const crd_allocator *alloc,
                                 crd__engine_arena *blocks, size_t bytes, void *out) {
  size_t padded;
  CRD_TRY(grow(ctx, alloc, blocks));
  if (!crd__size_add(bytes, CRD__ALIGNMENT, &padded))
    return crd__fail(ctx, CRD_ENOMEM, "no memory for an array of %zu bytes", bytes);
  CRD_TRY(spend(ctx, blocks, padded));
  char *const block = crd__resize(alloc, NULL, padded, 1);
  if (!block) return crd__fail(ctx, CRD_ENOMEM, "no memory for an array of %zu bytes", bytes);
  blocks->items[blocks->count++] = block;
  char *const aligned = block + (CRD__ALIGNMENT - (uintptr_t)block % CRD__ALIGNMENT);
  memcpy(out, &aligned, sizeof aligned);
  return CRD_OK;
}

void crd__engine_arena_clear(const crd_allocator *alloc, crd__engine_arena *blocks) {
  for (size_t i = 0; i < blocks->count; i++) crd__free(alloc, blocks->items[i]);
  crd__free(alloc, blocks->items);
  if (blocks->budget) blocks->budget->used -= blocks->bytes;
  *blocks = (crd__engine_arena){ .budget = blocks->budget };
}

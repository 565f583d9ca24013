/* arena.c -- blocks that double in size; what is larger than a block gets one of its own. */
#include "onnx/arena.h"
#include "base/memory.h"

#include <stdalign.h>
#include <string.h>

enum { FIRST_BLOCK = 1 << 10, LAST_BLOCK = 1 << 18 };

struct crd__arena_block {
  crd__arena_block *next;
  alignas(max_align_t) unsigned char bytes[];
};

/* A block of its own goes behind the newest one, which has room left. */
static crd_status add_block(crd_context *ctx, crd__arena *arena, size_t bytes) {
  const size_t next = arena->size ? arena->size * 2 : FIRST_BLOCK;
  const size_t usual = next < LAST_BLOCK ? next : LAST_BLOCK;
  const size_t size = bytes > usual / 4 ? bytes : usual;
  crd__arena_block *block;
  if (size > SIZE_MAX / 2) return crd__fail(ctx, CRD_ENOMEM, "no memory for %zu bytes", size);
  CRD_TRY(crd__new(ctx, 1, sizeof *block + size, "a model", &block));
  if (size == usual || !arena->blocks) {
    block->next = arena->blocks;
    arena->blocks = block;
    arena->size = size;
    arena->used = 0;
  } else {
    block->next = arena->blocks->next;
    arena->blocks->next = block;
  }
  return CRD_OK;
}

crd_status crd__arena_new(crd_context *ctx, crd__arena *arena, size_t count, size_t size,
                          void *out) {
  const size_t align = alignof(max_align_t);
  unsigned char *memory = NULL;
  size_t bytes;
  if (!crd__size_mul(count, size, &bytes) || bytes > SIZE_MAX / 2)
    return crd__fail(ctx, CRD_ENOMEM, "no memory for a model (%zu x %zu bytes)", count, size);
  bytes = (bytes + align - 1) / align * align;
  if (bytes == 0) bytes = align;
  if (!arena->blocks || bytes > arena->size - arena->used) {
    const crd__arena_block *const newest = arena->blocks;
    CRD_TRY(add_block(ctx, arena, bytes));
    if (arena->blocks == newest) memory = newest->next->bytes;
  }
  if (!memory) {
    memory = arena->blocks->bytes + arena->used;
    arena->used += bytes;
  }
  memcpy(out, &memory, sizeof memory);
  return CRD_OK;
}

void crd__arena_clear(crd__arena *arena) {
  while (arena->blocks) {
    crd__arena_block *const block = arena->blocks;
    arena->blocks = block->next;
    crd__free(&arena->alloc, block);
  }
  arena->size = arena->used = 0;
}

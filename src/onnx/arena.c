/* arena.c -- blocks that double in size; a larger allocation gets its own block. */
#include "onnx/arena.h"
#include "base/memory.h"

#include <stdalign.h>
#include <string.h>

enum { FIRST_BLOCK = 1 << 10, LAST_BLOCK = 1 << 18 };

struct crd__onnx_arena_block {
  crd__onnx_arena_block *next;
  alignas(max_align_t) unsigned char bytes[];
};

/* A large request gets its own block, linked behind the newest one, which still has space. */
static crd_status add_block(crd_context *ctx, crd__onnx_arena *arena, size_t bytes,
                            unsigned char **out) {
  const size_t next = arena->size ? arena->size * 2 : FIRST_BLOCK;
  const size_t usual = next < LAST_BLOCK ? next : LAST_BLOCK;
  const bool own = bytes > usual / 4 && arena->blocks;
  const size_t size = bytes > usual / 4 ? bytes : usual;
  crd__onnx_arena_block *block;
  CRD_TRY(crd__new(ctx, 1, sizeof *block + size, "a model", &block));
  crd__onnx_arena_block **const place = own ? &arena->blocks->next : &arena->blocks;
  block->next = *place;
  *place = block;
  if (!own) arena->size = size;
  if (!own) arena->used = bytes;
  *out = block->bytes;
  return CRD_OK;
}

crd_status crd__onnx_arena_new(crd_context *ctx, crd__onnx_arena *arena, size_t count, size_t size,
                               void *out) {
  const size_t align = alignof(max_align_t);
  unsigned char *memory;
  size_t bytes;
  if (!crd__size_mul(count, size, &bytes) || bytes > SIZE_MAX / 2)
    return crd__fail(ctx, CRD_ENOMEM, "no memory for a model (%zu x %zu bytes)", count, size);
  bytes = bytes ? (bytes + align - 1) / align * align : align;
  if (bytes > arena->size - arena->used) CRD_TRY(add_block(ctx, arena, bytes, &memory));
  else {
    memory = arena->blocks->bytes + arena->used;
    arena->used += bytes;
  }
  memcpy(out, &memory, sizeof memory);
  return CRD_OK;
}

void crd__onnx_arena_clear(crd__onnx_arena *arena) {
  while (arena->blocks) {
    crd__onnx_arena_block *const block = arena->blocks;
    arena->blocks = block->next;
    crd__free(&arena->alloc, block);
  }
  arena->size = arena->used = 0;
}

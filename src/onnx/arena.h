/* arena.h -- many small allocations that are freed together. */
#ifndef CRD_ONNX_ARENA_H
#define CRD_ONNX_ARENA_H

#include "base/context.h"

typedef struct crd__onnx_arena_block crd__onnx_arena_block;

typedef struct {
  crd_allocator alloc;
  crd__onnx_arena_block *blocks; /* newest first */
  size_t used, size;             /* of the newest block */
} crd__onnx_arena;

/* Sets *out to a zeroed array, aligned for any type; CRD_ENOMEM. */
crd_status crd__onnx_arena_new(crd_context *ctx, crd__onnx_arena *arena, size_t count, size_t size,
                               void *out);
void crd__onnx_arena_clear(crd__onnx_arena *arena);

#endif

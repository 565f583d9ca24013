/* arena.h -- many small pieces of memory that are given back together. */
#ifndef CRD_ONNX_ARENA_H
#define CRD_ONNX_ARENA_H

#include "base/context.h"

typedef struct crd__onnx_arena_block crd__onnx_arena_block;

typedef struct {
  crd_allocator alloc;
  crd__onnx_arena_block *blocks; /* the newest first */
  size_t used, size;             /* of the newest */
} crd__onnx_arena;

/* *out = zeroed array, aligned for anything, or ENOMEM. */
crd_status crd__onnx_arena_new(crd_context *ctx, crd__onnx_arena *arena, size_t count, size_t size,
                               void *out);
void crd__onnx_arena_clear(crd__onnx_arena *arena);

#endif

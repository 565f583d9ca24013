/* engine.c -- tensors and memory of an engine (engine.h). */
#include "engine/engine.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "data/array.h"

#include <string.h>

crd_status crd__engine_init(crd_context *ctx, crd__engine *engine) {
  engine->alloc = ctx->alloc;
  engine->budget.limit = crd__machine_memory();
  engine->blocks.budget = &engine->budget;
  engine->seed = ctx->seed;
  engine->threads = crd__parallel_workers(ctx, SIZE_MAX);
  return crd__engine_dnn_create(ctx, &engine->dnn);
}

void crd__engine_clear(crd__engine *engine) {
  crd__engine_dnn_destroy(engine->dnn);
  crd__engine_arena_clear(&engine->alloc, &engine->blocks);
  crd__free(&engine->alloc, engine->tensors);
}

crd_status crd__engine_memory(crd_context *ctx, crd__engine *engine, size_t count, size_t size,
                              void *out) {
  size_t bytes;
  void *memory;
  if (!crd__size_mul(count, size, &bytes))
    return crd__fail(ctx, CRD_ENOMEM, "no memory for %zu times %zu bytes", count, size);
  CRD_TRY(crd__engine_arena_add(ctx, &engine->alloc, &engine->blocks, bytes, &memory));
  memset(memory, 0, bytes);
  memcpy(out, &memory, sizeof memory);
  return CRD_OK;
}

crd_status crd__engine_add_tensor(crd_context *ctx, crd__engine *engine, const char *name,
                                  int *out) {
  if (engine->tensor_count == engine->tensor_capacity) {
    const size_t capacity = 2 * engine->tensor_capacity + 16;
    crd__engine_tensor *const tensors =
        crd__resize(&engine->alloc, engine->tensors, capacity, sizeof *tensors);
    if (!tensors) return crd__fail(ctx, CRD_ENOMEM, "no memory for %zu tensors", capacity);
    engine->tensors = tensors;
    engine->tensor_capacity = capacity;
  }
  *out = (int)engine->tensor_count;
  engine->tensors[engine->tensor_count++] = (crd__engine_tensor){ .name = name };
  return CRD_OK;
}

/* ---- Tensors. */

bool crd__engine_tensor_fits(const crd__engine *engine, crd_dtype dtype, size_t rank,
                             const int64_t *dims) {
  uint64_t bytes = crd_dtype_size(dtype);
  for (size_t i = 0; i < rank; i++) {
    if (dims[i] && bytes > engine->budget.limit / (uint64_t)dims[i]) return false;
    if (dims[i]) bytes *= (uint64_t)dims[i];
  }
  return bytes <= engine->budget.limit;
}

size_t crd__engine_tensor_count(const crd__engine_tensor *tensor) {
  size_t count = 1;
  for (size_t i = 0; i < tensor->rank; i++) count *= (size_t)tensor->dims[i];
  return count;
}

size_t crd__engine_tensor_bytes(const crd__engine_tensor *tensor) {
  return crd__engine_tensor_count(tensor) * crd_dtype_size(tensor->dtype);
}

double crd__engine_tensor_number(const crd__engine_tensor *tensor, size_t index) {
  const crd_array view =
      crd_array_matrix(tensor->constant, tensor->dtype, crd__engine_tensor_count(tensor), 1);
  return crd__data_array_number(&view, index, 0);
}

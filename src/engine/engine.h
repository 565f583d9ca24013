/*
 * engine.h -- the engine that runs networks: tensors, memory within a budget, threads and oneDNN.
 * It is independent of the graph: a plan (plan.h) places tensors and runs steps.
 */
#ifndef CRD_ENGINE_ENGINE_H
#define CRD_ENGINE_ENGINE_H

#include "credence/array.h"
#include "engine/blocks.h"
#include "engine/dnn.h"

#include <string.h>

enum { CRD__NONE = -1 }; /* the index of a tensor or place that is left out */

typedef struct {
  const char *name;
  bool known;       /* type and shape have been inferred */
  crd_dtype dtype;  /* as computed */
  bool narrow;      /* the model has it in ... */
  crd_dtype stored; /* ... this type, f16 or bf16; computed in f32 */
  size_t rank;
  int64_t dims[CRD_RANK_MAX];
  bool strings;         /* elements are indices of strings (onnx/strings.c), as i64 */
  const void *constant; /* elements in C order, unaligned; NULL: not a constant */
  const void *initial;  /* initial values of a parameter or running statistic */
  bool statistic;       /* a running mean or variance: trained without a gradient */
  bool wants;           /* its gradient is needed */
  bool is_output;       /* an output of the network; only during fusion (fuse.c), as: */
  int maker, readers;   /* index + 1 of the node that computes it, and of its first link; 0: none */
} crd__engine_tensor;

typedef struct {
  crd_allocator alloc;
  size_t tensor_count, tensor_capacity;
  crd__engine_tensor *tensors;
  uint64_t seed, runs; /* random numbers depend on the seed and the index of the run */
  unsigned threads;
  crd__engine_budget budget; /* memory limit of the engine and all its plans */
  crd__engine_arena blocks;  /* memory released with the engine */
  crd__engine_dnn *dnn;
} crd__engine;

/* Initialize a zeroed engine with the context's allocator, seed and threads. Call clear also after
 * a failure. */
crd_status crd__engine_init(crd_context *ctx, crd__engine *engine);
void crd__engine_clear(crd__engine *engine);
/* Allocate zeroed memory that lives as long as the engine. */
crd_status crd__engine_memory(crd_context *ctx, crd__engine *engine, size_t count, size_t size,
                              void *out);
/* Add a tensor of unknown type and shape; *out is its index. Invalidates pointers to tensors. */
crd_status crd__engine_add_tensor(crd_context *ctx, crd__engine *engine, const char *name,
                                  int *out);

/* True if tensors of this type are computed in float32. */
static inline bool crd__engine_is_narrow(crd_dtype dtype) {
  return dtype == CRD_F16 || dtype == CRD_BF16;
}
/* Return the type that tensors of a type are computed in. */
static inline crd_dtype crd__engine_computed(crd_dtype dtype) {
  return crd__engine_is_narrow(dtype) ? CRD_F32 : dtype;
}
/* Give a tensor a type of the model. */
static inline void crd__engine_tensor_set_type(crd__engine_tensor *tensor, crd_dtype dtype) {
  tensor->narrow = crd__engine_is_narrow(dtype);
  tensor->stored = dtype;
  tensor->dtype = crd__engine_computed(dtype);
}
/* Return the type that the tensor has in the model. */
static inline crd_dtype crd__engine_tensor_type(const crd__engine_tensor *tensor) {
  return tensor->narrow ? tensor->stored : tensor->dtype;
}

/* True if the tensor keeps its values between runs: a constant, a parameter or a running
 * statistic. */
static inline bool crd__engine_tensor_given(const crd__engine_tensor *tensor) {
  return tensor->constant || tensor->initial;
}

/* True if two shapes are equal. */
static inline bool crd__engine_same_shape(size_t rank, const int64_t *dims, size_t other_rank,
                                          const int64_t *other) {
  return rank == other_rank && memcmp(dims, other, rank * sizeof *dims) == 0;
}
/* True if a tensor of this shape, with dimensions of 0 counted as 1, is within the memory budget.
 * Holds for every tensor of known shape, so that products of its dimensions cannot overflow. */
bool crd__engine_tensor_fits(const crd__engine *engine, crd_dtype dtype, size_t rank,
                             const int64_t *dims);
size_t crd__engine_tensor_count(const crd__engine_tensor *tensor);
size_t crd__engine_tensor_bytes(const crd__engine_tensor *tensor);

/* Return an element of a constant as a double. */
double crd__engine_tensor_number(const crd__engine_tensor *tensor, size_t index);

#endif

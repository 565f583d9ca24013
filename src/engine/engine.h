/*
 * engine.h -- what runs a network: tensors, memory within a budget, threads and oneDNN.
 *
 * It knows nothing of graphs: a plan (plan.h) places tensors and runs steps, whoever asks for them.
 */
#ifndef CRD_ENGINE_ENGINE_H
#define CRD_ENGINE_ENGINE_H

#include "credence/tensor.h"
#include "engine/blocks.h"
#include "engine/dnn.h"

enum { CRD__NONE = -1 }; /* the index of a tensor or place that is left out */

typedef struct {
  const char *name;
  bool known; /* type and shape are: */
  crd_dtype dtype;
  size_t rank;
  int64_t dims[CRD_RANK_MAX];
  const void *constant; /* its numbers in C order, at any address; NULL: they come with a run */
  const void *initial;  /* of what training changes: the numbers it begins with; NULL: it is not */
  bool statistic;       /* ... but no gradient does: a running mean or variance */
  bool wants;           /* a gradient by it is wanted */
  int uses;             /* how many nodes and outputs read it */
  bool is_output;       /* ... while nodes are fused (fuse.c): an output of the network, */
  int maker, readers;   /* the node that makes it + 1, and its first link + 1; 0: none */
} crd__engine_tensor;

typedef struct {
  crd_allocator alloc;
  size_t tensor_count, tensor_capacity;
  crd__engine_tensor *tensors;
  uint64_t seed, runs; /* random numbers follow from the seed and the index of the run */
  unsigned threads;
  crd__engine_budget budget; /* of this and of all plans: the memory of the machine */
  crd__engine_arena blocks;  /* memory that lives as long as the engine */
  crd__engine_dnn *dnn;
} crd__engine;

/* Initialise a zeroed engine with the context's allocator, seed and threads; to be cleared also
 * after failure. */
crd_status crd__engine_init(crd_context *ctx, crd__engine *engine);
void crd__engine_clear(crd__engine *engine);
/* Allocate zeroed memory that lives as long as the engine. */
crd_status crd__engine_memory(crd_context *ctx, crd__engine *engine, size_t count, size_t size,
                              void *out);
/* Add a tensor of unknown shape. Invalidates pointers to tensors. */
crd_status crd__engine_add_tensor(crd_context *ctx, crd__engine *engine, const char *name,
                                  int *out);

/* Does it keep its numbers from one run to the next: a constant, or what training changes? */
static inline bool crd__engine_tensor_given(const crd__engine_tensor *tensor) {
  return tensor->constant || tensor->initial;
}

/* Would a tensor have room in the machine? So would all parts of it, also of one without numbers:
 * dimensions that are 0 are taken as 1. Every tensor that is known has; products of its dimensions
 * do not overflow. */
bool crd__engine_tensor_fits(const crd__engine *engine, crd_dtype dtype, size_t rank,
                             const int64_t *dims);
size_t crd__engine_tensor_count(const crd__engine_tensor *tensor);
size_t crd__engine_tensor_bytes(const crd__engine_tensor *tensor);

/* An element of a constant, as a number. */
double crd__engine_tensor_number(const crd__engine_tensor *tensor, size_t index);

#endif

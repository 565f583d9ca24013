/* plan_private.h -- the struct behind a plan, for plan.c, place.c and arrange.c. */
#ifndef CRD_ENGINE_PLAN_PRIVATE_H
#define CRD_ENGINE_PLAN_PRIVATE_H

#include "engine/plan.h"

typedef struct {
  size_t bytes, offset;
  int first, last; /* the steps that use it; first > last: none does */
  void *fixed; /* memory outside the common block, for constants and persistent tensors; NULL: in
                  the block */
  int tenants; /* how many of its tensors will still be read */
} crd__engine_buffer;

typedef struct {
  int buffer, tensor;
  bool plain;
  crd__engine_layout layout; /* of float32 elements; md NULL: not created yet */
  int next;                  /* the next place of the same tensor; NONE */
} crd__engine_place;

struct crd__engine_plan {
  crd_allocator alloc;
  crd__engine *engine;
  void *owner;
  crd__engine_arena blocks;
  size_t buffer_count, buffer_capacity, place_count, place_capacity, step_count, step_capacity;
  crd__engine_buffer *buffers;
  crd__engine_place *places;
  crd__engine_step *steps;
  size_t tensor_capacity;
  int *at;                /* for each tensor: its first place; NONE: none */
  int *uses;              /* for each tensor: its reader count */
  crd__engine_kept *kept; /* for each node */
  size_t wanted_count, wanted_capacity;
  int *wanted; /* tensors needed after the last step */
  size_t bytes;
  char *memory;
};

/* Ensure capacity for one more element in an array; doubles it if needed. */
crd_status crd__engine_plan_grow(crd_context *ctx, crd__engine_plan *plan, void *array,
                                 size_t count, size_t *capacity, size_t size);
crd_status crd__engine_plan_add_buffer(crd_context *ctx, crd__engine_plan *plan, size_t bytes,
                                       void *fixed, int *out);
crd_status crd__engine_plan_add_place(crd_context *ctx, crd__engine_plan *plan,
                                      crd__engine_place place, int *out);
/* Assign an offset in one block to every buffer, and compute the size of the block. */
crd_status crd__engine_plan_arrange(crd_context *ctx, crd__engine_plan *plan);

#endif

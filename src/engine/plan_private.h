/* plan_private.h -- the inside of a plan, for plan.c, place.c and arrange.c. */
#ifndef CRD_ENGINE_PLAN_PRIVATE_H
#define CRD_ENGINE_PLAN_PRIVATE_H

#include "engine/plan.h"

typedef struct {
  size_t bytes, offset;
  int first, last; /* the steps that touch it; first above last: none does */
  void *fixed;     /* memory of its own: a constant; NULL: in the common block */
  int tenants;     /* tensors in it that will still be read */
} crd__engine_buffer;

typedef struct {
  int buffer, tensor;
  bool plain;
  crd__engine_layout form; /* of f32 numbers; md NULL: not asked for yet */
  int next;                /* another place of the same tensor; NONE */
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
  int *at;                /* of each tensor: its first place; NONE */
  int *uses;              /* of each tensor: how many readers are still to come */
  crd__engine_kept *kept; /* of each node */
  size_t wanted_count, wanted_capacity;
  int *wanted; /* tensors that must be there after the last step */
  size_t bytes;
  char *memory;
};

/* Room for one more in an array that doubles. */
crd_status crd__engine_plan_grow(crd_context *ctx, crd__engine_plan *plan, void *array,
                                 size_t count, size_t *capacity, size_t size);
crd_status crd__engine_plan_add_buffer(crd_context *ctx, crd__engine_plan *plan, size_t bytes,
                                       void *fixed, int *out);
crd_status crd__engine_plan_add_place(crd_context *ctx, crd__engine_plan *plan,
                                      crd__engine_place place, int *out);
/* Offsets of all buffers in one block, and its size. */
crd_status crd__engine_plan_arrange(crd_context *ctx, crd__engine_plan *plan);

#endif

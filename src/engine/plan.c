/* plan.c -- creates, completes and runs the steps of a plan (plan.h); place.c manages their
 * operands. */
#include "base/memory.h"
#include "engine/plan_private.h"

#include <string.h>

void *crd__engine_plan_owner(const crd__engine_plan *plan) { return plan->owner; }

crd_status crd__engine_plan_create(crd_context *ctx, crd__engine *engine, void *owner, size_t nodes,
                                   crd__engine_plan **out) {
  crd__engine_plan *plan;
  const size_t count = engine->tensor_count + 1;
  *out = NULL;
  CRD_TRY(crd__new(ctx, 1, sizeof *plan, "a plan", &plan));
  plan->alloc = ctx->alloc;
  plan->engine = engine;
  plan->owner = owner;
  plan->blocks.budget = &engine->budget;
  plan->tensor_capacity = count;
  crd_status status = crd__new(ctx, count, sizeof *plan->at, "tensor places", &plan->at);
  if (status == CRD_OK)
    status = crd__new(ctx, count, sizeof *plan->uses, "reader counts", &plan->uses);
  if (status == CRD_OK && nodes)
    status = crd__new(ctx, nodes, sizeof *plan->kept, "the backward pass", &plan->kept);
  if (status != CRD_OK) {
    crd__engine_plan_destroy(plan);
    return status;
  }
  for (size_t i = 0; i < count; i++) plan->at[i] = CRD__NONE;
  *out = plan;
  return CRD_OK;
}

void crd__engine_plan_destroy(crd__engine_plan *plan) {
  if (!plan) return;
  const crd_allocator alloc = plan->alloc;
  crd__engine_arena_clear(&alloc, &plan->blocks);
  crd__free(&alloc, plan->buffers);
  crd__free(&alloc, plan->places);
  crd__free(&alloc, plan->steps);
  crd__free(&alloc, plan->at);
  crd__free(&alloc, plan->uses);
  crd__free(&alloc, plan->kept);
  crd__free(&alloc, plan->wanted);
  crd__free(&alloc, plan);
}

crd__engine_kept *crd__engine_plan_kept(crd__engine_plan *plan, size_t node) {
  return plan->kept ? &plan->kept[node] : NULL;
}

size_t crd__engine_plan_steps(const crd__engine_plan *plan) { return plan->step_count; }

/* ---- Steps. */

static crd_status copy_list(crd_context *ctx, crd__engine_plan *plan, const void *from,
                            size_t bytes, void *out) {
  void *memory;
  CRD_TRY(crd__engine_arena_add(ctx, &plan->alloc, &plan->blocks, bytes, &memory));
  if (bytes && from) memcpy(memory, from, bytes);
  memcpy(out, &memory, sizeof memory);
  return CRD_OK;
}

crd_status crd__engine_plan_step(crd_context *ctx, crd__engine_plan *plan, const void *node,
                                 crd__engine_step_fn run, const void *self, size_t size,
                                 size_t count, const int *places) {
  crd__engine_step step = { .run = run,
                            .node = node,
                            .count = count,
                            .threads = plan->engine->threads,
                            .engine = plan->engine };
  CRD_TRY(crd__engine_plan_grow(ctx, plan, &plan->steps, plan->step_count, &plan->step_capacity,
                                sizeof *plan->steps));
  CRD_TRY(copy_list(ctx, plan, self, size, &step.self));
  CRD_TRY(copy_list(ctx, plan, places, count * sizeof *places, &step.places));
  CRD_TRY(copy_list(ctx, plan, NULL, count * sizeof *step.memory, &step.memory));
  for (size_t i = 0; i < count; i++) {
    crd__engine_buffer *const buffer = &plan->buffers[plan->places[places[i]].buffer];
    if ((int)plan->step_count < buffer->first) buffer->first = (int)plan->step_count;
    if ((int)plan->step_count > buffer->last) buffer->last = (int)plan->step_count;
  }
  plan->steps[plan->step_count++] = step;
  return CRD_OK;
}

static crd_status run_primitive(crd_context *ctx, const crd__engine_step *step) {
  return crd__engine_dnn_run(ctx, step->engine->dnn, step->call);
}

crd_status crd__engine_plan_primitive(crd_context *ctx, crd__engine_plan *plan, const void *node,
                                      const crd__engine_primitive *primitive, size_t count,
                                      const crd__engine_plan_argument *arguments) {
  int *places, buffer;
  crd__engine_argument *names;
  CRD_TRY(copy_list(ctx, plan, NULL, (count + 1) * sizeof *places, &places));
  CRD_TRY(copy_list(ctx, plan, NULL, (count + 1) * sizeof *names, &names));
  for (size_t i = 0; i < count; i++) {
    places[i] = arguments[i].place;
    names[i] = arguments[i].argument;
  }
  CRD_TRY(crd__engine_plan_add_buffer(ctx, plan, primitive->scratch, NULL, &buffer));
  CRD_TRY(crd__engine_plan_add_place(
      ctx, plan,
      (crd__engine_place){ .buffer = buffer,
                           .tensor = CRD__NONE,
                           .layout = crd__engine_primitive_layout(primitive, CRD__ARG_SCRATCH) },
      &places[count]));
  names[count] = CRD__ARG_SCRATCH;
  CRD_TRY(crd__engine_plan_step(ctx, plan, node, run_primitive, NULL, 0, count + 1, places));
  plan->steps[plan->step_count - 1].primitive = *primitive;
  plan->steps[plan->step_count - 1].arguments = names;
  return CRD_OK;
}

void crd__engine_plan_hold(crd__engine_plan *plan, int tensor) {
  if (plan->uses[tensor]++) return;
  for (int p = plan->at[tensor]; p != CRD__NONE; p = plan->places[p].next)
    plan->buffers[plan->places[p].buffer].tenants++;
}

/* A buffer without readers may be overwritten. */
void crd__engine_plan_release(crd__engine_plan *plan, int tensor) {
  if (tensor == CRD__NONE || plan->uses[tensor] == 0 || --plan->uses[tensor]) return;
  for (int p = plan->at[tensor]; p != CRD__NONE; p = plan->places[p].next)
    plan->buffers[plan->places[p].buffer].tenants--;
}

/* ---- Memory and execution. */

static void *memory_of(const crd__engine_plan *plan, int place) {
  const crd__engine_buffer *const buffer = &plan->buffers[plan->places[place].buffer];
  return buffer->fixed ? buffer->fixed : plan->memory + buffer->offset;
}

static crd_status bind(crd_context *ctx, crd__engine_plan *plan, crd__engine_step *step) {
  crd__engine_dnn_place *places;
  for (size_t i = 0; i < step->count; i++) step->memory[i] = memory_of(plan, step->places[i]);
  if (!step->arguments) return CRD_OK;
  CRD_TRY(crd__new(ctx, step->count, sizeof *places, "a primitive's arguments", &places));
  crd_status status = CRD_OK;
  for (size_t i = 0; i < step->count && status == CRD_OK; i++) {
    const crd__engine_place *const place = &plan->places[step->places[i]];
    places[i] = (crd__engine_dnn_place){ step->arguments[i], place->layout, step->memory[i] };
    if (!place->layout.md && place->tensor != CRD__NONE)
      status = crd__engine_plan_layout(ctx, plan, step->places[i], &places[i].layout);
  }
  if (status == CRD_OK)
    status = crd__engine_dnn_bind(ctx, step->engine->dnn, &step->primitive, step->count, places,
                                  &step->call);
  crd__free(&ctx->alloc, places);
  return status;
}

crd_status crd__engine_plan_want(crd_context *ctx, crd__engine_plan *plan, const int *outputs,
                                 size_t count) {
  for (size_t i = 0; i < count; i++) {
    int place;
    if (outputs[i] == CRD__NONE) continue;
    CRD_TRY(crd__engine_plan_plain(ctx, plan, outputs[i], &place));
    CRD_TRY(crd__engine_plan_grow(ctx, plan, &plan->wanted, plan->wanted_count,
                                  &plan->wanted_capacity, sizeof *plan->wanted));
    plan->wanted[plan->wanted_count++] = place;
  }
  return CRD_OK;
}

/* Extend lifetimes: inputs live from the first step on, wanted tensors to the last. */
static void stretch(crd__engine_plan *plan, const int *inputs, size_t count) {
  for (size_t i = 0; i < plan->wanted_count; i++) {
    crd__engine_buffer *const buffer = &plan->buffers[plan->places[plan->wanted[i]].buffer];
    buffer->last = (int)plan->step_count;
    if (buffer->first > buffer->last) buffer->first = 0;
  }
  for (size_t i = 0; i < count; i++)
    for (int p = plan->at[inputs[i]]; p != CRD__NONE; p = plan->places[p].next) {
      crd__engine_buffer *const buffer = &plan->buffers[plan->places[p].buffer];
      if (!plan->places[p].plain) continue;
      buffer->first = 0;
      if (buffer->last < 0) buffer->last = 0;
    }
}

crd_status crd__engine_plan_finish(crd_context *ctx, crd__engine_plan *plan, const int *inputs,
                                   size_t count) {
  stretch(plan, inputs, count);
  CRD_TRY(crd__engine_plan_arrange(ctx, plan));
  CRD_TRY(crd__engine_arena_add(ctx, &plan->alloc, &plan->blocks, plan->bytes, &plan->memory));
  for (size_t i = 0; i < plan->step_count; i++) {
    CRD_TRY(crd__check_interrupt(ctx));
    CRD_TRY(bind(ctx, plan, &plan->steps[i]));
  }
  return CRD_OK;
}

crd_status crd__engine_plan_run(crd_context *ctx, const crd__engine_plan *plan, size_t from,
                                size_t to) {
  for (size_t i = from; i < to; i++) {
    CRD_TRY(crd__check_interrupt(ctx));
    CRD_TRY(plan->steps[i].run(ctx, &plan->steps[i]));
  }
  return CRD_OK;
}

void *crd__engine_plan_memory(const crd__engine_plan *plan, int tensor) {
  for (int p = plan->at[tensor]; p != CRD__NONE; p = plan->places[p].next)
    if (plan->places[p].plain) return memory_of(plan, p);
  return NULL;
}

size_t crd__engine_plan_bytes(const crd__engine_plan *plan) { return plan->bytes; }

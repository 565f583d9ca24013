/* place.c -- buffers and layouts of tensors, and reorders between layouts (plan.h). */
#include "base/memory.h"
#include "engine/plan_private.h"

#include <limits.h>
#include <string.h>

crd_status crd__engine_plan_grow(crd_context *ctx, crd__engine_plan *plan, void *array,
                                 size_t count, size_t *capacity, size_t size) {
  void *old;
  if (count < *capacity) return CRD_OK;
  const size_t bigger = *capacity ? 2 * *capacity : 64;
  memcpy(&old, array, sizeof old);
  void *const moved = crd__resize(&plan->alloc, old, bigger, size);
  if (!moved) return crd__fail(ctx, CRD_ENOMEM, "no memory for %zu entries of a plan", bigger);
  memcpy(array, &moved, sizeof moved);
  *capacity = bigger;
  return CRD_OK;
}

crd_status crd__engine_plan_add_buffer(crd_context *ctx, crd__engine_plan *plan, size_t bytes,
                                       void *fixed, int *out) {
  CRD_TRY(crd__engine_plan_grow(ctx, plan, &plan->buffers, plan->buffer_count,
                                &plan->buffer_capacity, sizeof *plan->buffers));
  *out = (int)plan->buffer_count;
  plan->buffers[plan->buffer_count++] = (crd__engine_buffer){
    .bytes = bytes ? bytes : 1, .fixed = fixed, .first = INT_MAX, .last = -1
  };
  return CRD_OK;
}

crd_status crd__engine_plan_add_place(crd_context *ctx, crd__engine_plan *plan,
                                      crd__engine_place place, int *out) {
  CRD_TRY(crd__engine_plan_grow(ctx, plan, &plan->places, plan->place_count, &plan->place_capacity,
                                sizeof *plan->places));
  *out = (int)plan->place_count;
  if (place.tensor != CRD__NONE) {
    place.next = plan->at[place.tensor];
    plan->at[place.tensor] = *out;
    if (plan->uses[place.tensor] > 0) plan->buffers[place.buffer].tenants++;
  }
  plan->places[plan->place_count++] = place;
  return CRD_OK;
}

crd_status crd__engine_plan_tensor(crd_context *ctx, crd__engine_plan *plan, const char *name,
                                   size_t rank, const int64_t *dims, int *out) {
  CRD_TRY(crd__engine_add_tensor(ctx, plan->engine, name, out));
  const size_t count = plan->engine->tensor_count;
  size_t places = plan->tensor_capacity, readers = plan->tensor_capacity;
  CRD_TRY(crd__engine_plan_grow(ctx, plan, &plan->at, count - 1, &places, sizeof *plan->at));
  CRD_TRY(crd__engine_plan_grow(ctx, plan, &plan->uses, count - 1, &readers, sizeof *plan->uses));
  plan->tensor_capacity = places;
  crd__engine_tensor *const tensor = &plan->engine->tensors[*out];
  tensor->known = true;
  tensor->dtype = CRD_F32;
  tensor->rank = rank;
  if (rank) memcpy(tensor->dims, dims, rank * sizeof *dims);
  plan->at[*out] = CRD__NONE;
  plan->uses[*out] = 0;
  return CRD_OK;
}

static const crd__engine_tensor *tensor_of(const crd__engine_plan *plan, int tensor) {
  return &plan->engine->tensors[tensor];
}

static crd_status plain_layout(crd_context *ctx, crd__engine_plan *plan, int tensor,
                               crd__engine_layout *out) {
  const crd__engine_tensor *const t = tensor_of(plan, tensor);
  return crd__engine_layout_plain(ctx, plan->engine->dnn, t->rank, t->dims, out);
}

crd_status crd__engine_plan_layout(crd_context *ctx, crd__engine_plan *plan, int place,
                                   crd__engine_layout *out) {
  crd__engine_place *const p = &plan->places[place];
  if (!p->layout.md) CRD_TRY(plain_layout(ctx, plan, p->tensor, &p->layout));
  *out = p->layout;
  return CRD_OK;
}

bool crd__engine_plan_is_plain(const crd__engine_plan *plan, int place) {
  return plan->places[place].plain;
}

static crd_status new_place(crd_context *ctx, crd__engine_plan *plan, int tensor,
                            crd__engine_layout layout, bool plain, int *place) {
  const size_t bytes = layout.md ? crd__engine_layout_bytes(layout)
                                 : crd__engine_tensor_bytes(tensor_of(plan, tensor));
  int buffer;
  CRD_TRY(crd__engine_plan_add_buffer(ctx, plan, bytes, NULL, &buffer));
  return crd__engine_plan_add_place(
      ctx, plan,
      (crd__engine_place){ .buffer = buffer, .tensor = tensor, .plain = plain, .layout = layout },
      place);
}

crd_status crd__engine_plan_output(crd_context *ctx, crd__engine_plan *plan, int tensor,
                                   int *place) {
  return new_place(ctx, plan, tensor, (crd__engine_layout){ NULL }, true, place);
}

crd_status crd__engine_plan_output_as(crd_context *ctx, crd__engine_plan *plan, int tensor,
                                      crd__engine_layout layout, int *place) {
  crd__engine_layout plain;
  CRD_TRY(plain_layout(ctx, plan, tensor, &plain));
  return new_place(ctx, plan, tensor, layout, crd__engine_layout_same(layout, plain), place);
}

crd_status crd__engine_plan_output_over(crd_context *ctx, crd__engine_plan *plan, int tensor,
                                        int over, int over_tensor, int *place) {
  const crd__engine_place old = plan->places[over];
  const crd__engine_buffer *const buffer = &plan->buffers[old.buffer];
  const bool last = plan->uses[over_tensor] == 1 && buffer->tenants == 1 && !buffer->fixed;
  if (!last) return new_place(ctx, plan, tensor, old.layout, old.plain, place);
  return crd__engine_plan_add_place(
      ctx, plan,
      (crd__engine_place){
          .buffer = old.buffer, .tensor = tensor, .plain = old.plain, .layout = old.layout },
      place);
}

crd_status crd__engine_plan_alias(crd_context *ctx, crd__engine_plan *plan, int tensor, int of) {
  int place;
  CRD_TRY(crd__engine_plan_plain(ctx, plan, of, &place));
  return crd__engine_plan_add_place(
      ctx, plan,
      (crd__engine_place){ .buffer = plan->places[place].buffer, .tensor = tensor, .plain = true },
      &place);
}

crd_status crd__engine_plan_scratch(crd_context *ctx, crd__engine_plan *plan,
                                    crd__engine_layout layout, int *place) {
  int buffer;
  CRD_TRY(crd__engine_plan_add_buffer(ctx, plan, crd__engine_layout_bytes(layout), NULL, &buffer));
  return crd__engine_plan_add_place(
      ctx, plan, (crd__engine_place){ .buffer = buffer, .tensor = CRD__NONE, .layout = layout },
      place);
}

crd_status crd__engine_plan_fixed(crd_context *ctx, crd__engine_plan *plan, int tensor,
                                  int *place) {
  const size_t bytes = crd__engine_tensor_bytes(tensor_of(plan, tensor));
  void *memory;
  int buffer;
  CRD_TRY(crd__engine_arena_add(ctx, &plan->alloc, &plan->blocks, bytes, &memory));
  memset(memory, 0, bytes);
  CRD_TRY(crd__engine_plan_add_buffer(ctx, plan, bytes, memory, &buffer));
  return crd__engine_plan_add_place(
      ctx, plan, (crd__engine_place){ .buffer = buffer, .tensor = tensor, .plain = true }, place);
}

/* Place a constant, parameter or running statistic in C order, in memory aligned for kernels. */
static crd_status place_constant(crd_context *ctx, crd__engine_plan *plan, int tensor, int *place) {
  const crd__engine_tensor *const t = tensor_of(plan, tensor);
  const size_t bytes = crd__engine_tensor_bytes(t);
  CRD_TRY(crd__engine_plan_fixed(ctx, plan, tensor, place));
  void *const memory = plan->buffers[plan->places[*place].buffer].fixed;
  if (bytes) memcpy(memory, t->constant ? t->constant : t->initial, bytes);
  return CRD_OK;
}

crd_status crd__engine_plan_find(crd_context *ctx, crd__engine_plan *plan, int tensor, int *place) {
  *place = plan->at[tensor];
  if (*place != CRD__NONE) return CRD_OK;
  if (crd__engine_tensor_given(tensor_of(plan, tensor)))
    return place_constant(ctx, plan, tensor, place);
  return crd__engine_plan_output(ctx, plan, tensor, place); /* an input of the network */
}

/* ---- Reorders. */

crd_status crd__engine_plan_reorder(crd_context *ctx, crd__engine_plan *plan, int from, int to) {
  crd__engine_primitive reorder;
  crd__engine_layout a, b;
  CRD_TRY(crd__engine_plan_layout(ctx, plan, from, &a));
  CRD_TRY(crd__engine_plan_layout(ctx, plan, to, &b));
  const crd_status status = crd__engine_dnn_reorder(ctx, plan->engine->dnn, a, b, &reorder);
  if (status == CRD_EABSENT)
    return crd__fail(ctx, CRD_ENUMERIC, "oneDNN cannot reorder an array to another layout");
  CRD_TRY(status);
  const crd__engine_plan_argument arguments[] = { { CRD__ARG_SRC, from }, { CRD__ARG_DST, to } };
  return crd__engine_plan_primitive(ctx, plan, NULL, &reorder, 2, arguments);
}

crd_status crd__engine_plan_as(crd_context *ctx, crd__engine_plan *plan, int tensor,
                               crd__engine_layout layout, int *place) {
  int from;
  CRD_TRY(crd__engine_plan_find(ctx, plan, tensor, &from));
  for (*place = plan->at[tensor]; *place != CRD__NONE; *place = plan->places[*place].next) {
    crd__engine_layout here;
    CRD_TRY(crd__engine_plan_layout(ctx, plan, *place, &here));
    if (crd__engine_layout_same(here, layout)) return CRD_OK;
  }
  CRD_TRY(crd__engine_plan_output_as(ctx, plan, tensor, layout, place));
  return crd__engine_plan_reorder(ctx, plan, from, *place);
}

crd_status crd__engine_plan_plain(crd_context *ctx, crd__engine_plan *plan, int tensor,
                                  int *place) {
  crd__engine_layout layout;
  CRD_TRY(crd__engine_plan_find(ctx, plan, tensor, place));
  for (*place = plan->at[tensor]; *place != CRD__NONE; *place = plan->places[*place].next)
    if (plan->places[*place].plain) return CRD_OK;
  CRD_TRY(plain_layout(ctx, plan, tensor, &layout));
  return crd__engine_plan_as(ctx, plan, tensor, layout, place);
}

crd_status crd__engine_plan_view(crd_context *ctx, crd__engine_plan *plan, int place,
                                 crd__engine_layout layout, int *out) {
  return crd__engine_plan_add_place(ctx, plan,
                                    (crd__engine_place){ .buffer = plan->places[place].buffer,
                                                         .tensor = CRD__NONE,
                                                         .layout = layout },
                                    out);
}

crd_status crd__engine_plan_seen(crd_context *ctx, crd__engine_plan *plan, int tensor,
                                 crd__engine_layout seen, crd__engine_layout layout, int *place) {
  int from, view;
  CRD_TRY(crd__engine_plan_plain(ctx, plan, tensor, &from));
  CRD_TRY(crd__engine_plan_view(ctx, plan, from, seen, &view));
  *place = view;
  if (crd__engine_layout_same(seen, layout)) return CRD_OK;
  CRD_TRY(crd__engine_plan_scratch(ctx, plan, layout, place));
  return crd__engine_plan_reorder(ctx, plan, view, *place);
}

crd_status crd__engine_plan_result(crd_context *ctx, crd__engine_plan *plan, int tensor, int addend,
                                   crd__engine_layout layout, int *place) {
  int from;
  if (addend == CRD__NONE) return crd__engine_plan_output_as(ctx, plan, tensor, layout, place);
  CRD_TRY(crd__engine_plan_as(ctx, plan, addend, layout, &from));
  CRD_TRY(crd__engine_plan_output_over(ctx, plan, tensor, from, addend, place));
  if (plan->places[from].buffer == plan->places[*place].buffer) return CRD_OK;
  return crd__engine_plan_reorder(ctx, plan, from, *place);
}

/* Reorder while planning. oneDNN needs aligned floats: copies those that are not. */
static crd_status reorder_now(crd_context *ctx, crd__engine_plan *plan, const void *from,
                              crd__engine_layout seen, void *to, crd__engine_layout layout) {
  crd__engine_primitive reorder;
  crd__engine_dnn_call *call;
  crd__engine_arena scratch = { .budget = &plan->engine->budget };
  void *memory = NULL, *source = (void *)(uintptr_t)from;
  CRD_TRY(crd__engine_dnn_reorder(ctx, plan->engine->dnn, seen, layout, &reorder));
  crd_status status = crd__engine_arena_add(ctx, &plan->alloc, &scratch, reorder.scratch, &memory);
  if (status == CRD_OK && (uintptr_t)from % sizeof(float)) {
    status =
        crd__engine_arena_add(ctx, &plan->alloc, &scratch, crd__engine_layout_bytes(seen), &source);
    if (status == CRD_OK) memcpy(source, from, crd__engine_layout_bytes(seen));
  }
  const crd__engine_dnn_place places[] = {
    { CRD__ARG_SRC, seen, source },
    { CRD__ARG_DST, layout, to },
    { CRD__ARG_SCRATCH, crd__engine_primitive_layout(&reorder, CRD__ARG_SCRATCH), memory },
  };
  if (status == CRD_OK)
    status = crd__engine_dnn_bind(ctx, plan->engine->dnn, &reorder, 3, places, &call);
  if (status == CRD_OK) status = crd__engine_dnn_run(ctx, plan->engine->dnn, call);
  crd__engine_arena_clear(&plan->alloc, &scratch);
  return status;
}

crd_status crd__engine_plan_constant(crd_context *ctx, crd__engine_plan *plan, int tensor,
                                     crd__engine_layout seen, crd__engine_layout layout,
                                     int *place) {
  const size_t bytes = crd__engine_layout_bytes(layout);
  void *memory;
  int buffer;
  CRD_TRY(crd__engine_arena_add(ctx, &plan->alloc, &plan->blocks, bytes, &memory));
  const void *const from = tensor_of(plan, tensor)->constant;
  if (crd__engine_layout_same(seen, layout)) memcpy(memory, from, bytes);
  else CRD_TRY(reorder_now(ctx, plan, from, seen, memory, layout));
  CRD_TRY(crd__engine_plan_add_buffer(ctx, plan, bytes, memory, &buffer));
  return crd__engine_plan_add_place(
      ctx, plan, (crd__engine_place){ .buffer = buffer, .tensor = CRD__NONE, .layout = layout },
      place);
}

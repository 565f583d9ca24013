/* plan.c -- places for tensors, steps between them (plan.h). */
#include "base/memory.h"
#include "net/plan_private.h"

#include <limits.h>
#include <string.h>

crd__net *crd__plan_net(const crd__plan *plan) { return plan->net; }

static void count_uses(crd__plan *plan) {
  const crd__net *const net = plan->net;
  for (size_t n = 0; n < net->node_count; n++) {
    const crd__node *const node = &net->nodes[n];
    if (node->gone) continue;
    for (size_t i = 0; i < node->input_count; i++)
      if (node->inputs[i] != CRD__NONE) plan->uses[node->inputs[i]]++;
    if (node->addend != CRD__NONE) plan->uses[node->addend]++;
  }
  for (size_t i = 0; i < net->output_count; i++) plan->uses[net->outputs[i]]++;
}

/* What the way back reads of the run itself. */
static void count_keeps(crd__plan *plan) {
  const crd__net *const net = plan->net;
  for (size_t n = 0; n < net->node_count; n++) {
    const unsigned keep = crd__op_keeps(net, &net->nodes[n]);
    for (size_t i = 0; i < net->nodes[n].input_count; i++)
      if (crd__keeps_input(keep, i) && net->nodes[n].inputs[i] != CRD__NONE)
        plan->uses[net->nodes[n].inputs[i]]++;
    if (keep & CRD__KEEP_Y) plan->uses[net->nodes[n].outputs[0]]++;
  }
}

crd_status crd__plan_create(crd_context *ctx, crd__net *net, crd__plan **out) {
  crd__plan *plan;
  const size_t count = net->tensor_count + 1;
  *out = NULL;
  CRD_TRY(crd__new(ctx, 1, sizeof *plan, "a plan", &plan));
  plan->alloc = ctx->alloc;
  plan->net = net;
  plan->blocks.budget = &net->budget;
  plan->tensor_capacity = count;
  crd_status status = crd__new(ctx, count, sizeof *plan->at, "the places of tensors", &plan->at);
  if (status == CRD_OK)
    status = crd__new(ctx, count, sizeof *plan->uses, "the readers of tensors", &plan->uses);
  if (status == CRD_OK && net->mode != CRD_MODE_INFERENCE)
    status = crd__new(ctx, net->node_count + 1, sizeof *plan->kept, "the way back", &plan->kept);
  if (status != CRD_OK) {
    crd__plan_destroy(plan);
    return status;
  }
  for (size_t i = 0; i < count; i++) plan->at[i] = CRD__NONE;
  count_uses(plan);
  count_keeps(plan);
  *out = plan;
  return CRD_OK;
}

void crd__plan_destroy(crd__plan *plan) {
  if (!plan) return;
  const crd_allocator alloc = plan->alloc;
  crd__blocks_clear(&alloc, &plan->blocks);
  crd__free(&alloc, plan->buffers);
  crd__free(&alloc, plan->places);
  crd__free(&alloc, plan->steps);
  crd__free(&alloc, plan->at);
  crd__free(&alloc, plan->uses);
  crd__free(&alloc, plan->kept);
  crd__free(&alloc, plan->wanted);
  crd__free(&alloc, plan);
}

crd__kept *crd__plan_kept(crd__plan *plan, const crd__node *node) {
  return plan->kept ? &plan->kept[node - plan->net->nodes] : NULL;
}

size_t crd__plan_steps(const crd__plan *plan) { return plan->step_count; }

/* Room for one more in an array that doubles. */
static crd_status grow(crd_context *ctx, crd__plan *plan, void *array, size_t count,
                       size_t *capacity, size_t size) {
  void *old;
  if (count < *capacity) return CRD_OK;
  const size_t bigger = *capacity ? 2 * *capacity : 64;
  memcpy(&old, array, sizeof old);
  void *const moved = crd__resize(&plan->alloc, old, bigger, size);
  if (!moved) return crd__fail(ctx, CRD_ENOMEM, "no memory for a plan of %zu parts", bigger);
  memcpy(array, &moved, sizeof moved);
  *capacity = bigger;
  return CRD_OK;
}

/* ---- Buffers and places. */

static crd_status add_buffer(crd_context *ctx, crd__plan *plan, size_t bytes, void *fixed,
                             int *out) {
  CRD_TRY(grow(ctx, plan, &plan->buffers, plan->buffer_count, &plan->buffer_capacity,
               sizeof *plan->buffers));
  *out = (int)plan->buffer_count;
  plan->buffers[plan->buffer_count++] =
      (crd__buffer){ .bytes = bytes ? bytes : 1, .fixed = fixed, .first = INT_MAX, .last = -1 };
  return CRD_OK;
}

static crd_status add_place(crd_context *ctx, crd__plan *plan, crd__place place, int *out) {
  CRD_TRY(grow(ctx, plan, &plan->places, plan->place_count, &plan->place_capacity,
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

crd_status crd__plan_tensor(crd_context *ctx, crd__plan *plan, const char *name, size_t rank,
                            const int64_t *dims, int *out) {
  CRD_TRY(crd__net_tensor(ctx, plan->net, name, out));
  const size_t count = plan->net->tensor_count;
  size_t places = plan->tensor_capacity, readers = plan->tensor_capacity;
  CRD_TRY(grow(ctx, plan, &plan->at, count - 1, &places, sizeof *plan->at));
  CRD_TRY(grow(ctx, plan, &plan->uses, count - 1, &readers, sizeof *plan->uses));
  plan->tensor_capacity = places;
  crd__tensor *const tensor = &plan->net->tensors[*out];
  tensor->known = true;
  tensor->dtype = CRD_F32;
  tensor->rank = rank;
  if (rank) memcpy(tensor->dims, dims, rank * sizeof *dims);
  plan->at[*out] = CRD__NONE;
  plan->uses[*out] = 0;
  return CRD_OK;
}

static const crd__tensor *tensor_of(const crd__plan *plan, int tensor) {
  return &plan->net->tensors[tensor];
}

static crd_status plain_form(crd_context *ctx, crd__plan *plan, int tensor, crd__form *out) {
  const crd__tensor *const t = tensor_of(plan, tensor);
  return crd__form_plain(ctx, plan->net->dnn, t->rank, t->dims, out);
}

crd_status crd__plan_form(crd_context *ctx, crd__plan *plan, int place, crd__form *out) {
  crd__place *const p = &plan->places[place];
  if (!p->form.md) CRD_TRY(plain_form(ctx, plan, p->tensor, &p->form));
  *out = p->form;
  return CRD_OK;
}

bool crd__plan_is_plain(const crd__plan *plan, int place) { return plan->places[place].plain; }

static crd_status new_place(crd_context *ctx, crd__plan *plan, int tensor, crd__form form,
                            bool plain, int *place) {
  const size_t bytes = form.md ? crd__form_bytes(form) : crd__tensor_bytes(tensor_of(plan, tensor));
  int buffer;
  CRD_TRY(add_buffer(ctx, plan, bytes, NULL, &buffer));
  return add_place(ctx, plan,
                   (crd__place){ .buffer = buffer, .tensor = tensor, .plain = plain, .form = form },
                   place);
}

crd_status crd__plan_output(crd_context *ctx, crd__plan *plan, int tensor, int *place) {
  return new_place(ctx, plan, tensor, (crd__form){ NULL }, true, place);
}

crd_status crd__plan_output_as(crd_context *ctx, crd__plan *plan, int tensor, crd__form form,
                               int *place) {
  crd__form plain;
  CRD_TRY(plain_form(ctx, plan, tensor, &plain));
  return new_place(ctx, plan, tensor, form, crd__form_same(form, plain), place);
}

crd_status crd__plan_output_over(crd_context *ctx, crd__plan *plan, int tensor, int over,
                                 int over_tensor, int *place) {
  const crd__place old = plan->places[over];
  const crd__buffer *const buffer = &plan->buffers[old.buffer];
  const bool last = plan->uses[over_tensor] == 1 && buffer->tenants == 1 && !buffer->fixed;
  if (!last) return new_place(ctx, plan, tensor, old.form, old.plain, place);
  return add_place(
      ctx, plan,
      (crd__place){ .buffer = old.buffer, .tensor = tensor, .plain = old.plain, .form = old.form },
      place);
}

crd_status crd__plan_alias(crd_context *ctx, crd__plan *plan, int tensor, int of) {
  int place;
  CRD_TRY(crd__plan_plain(ctx, plan, of, &place));
  return add_place(
      ctx, plan,
      (crd__place){ .buffer = plan->places[place].buffer, .tensor = tensor, .plain = true },
      &place);
}

crd_status crd__plan_scratch(crd_context *ctx, crd__plan *plan, crd__form form, int *place) {
  int buffer;
  CRD_TRY(add_buffer(ctx, plan, crd__form_bytes(form), NULL, &buffer));
  return add_place(ctx, plan, (crd__place){ .buffer = buffer, .tensor = CRD__NONE, .form = form },
                   place);
}

crd_status crd__plan_fixed(crd_context *ctx, crd__plan *plan, int tensor, int *place) {
  const size_t bytes = crd__tensor_bytes(tensor_of(plan, tensor));
  void *memory;
  int buffer;
  CRD_TRY(crd__blocks_add(ctx, &plan->alloc, &plan->blocks, bytes, &memory));
  memset(memory, 0, bytes);
  CRD_TRY(add_buffer(ctx, plan, bytes, memory, &buffer));
  return add_place(ctx, plan, (crd__place){ .buffer = buffer, .tensor = tensor, .plain = true },
                   place);
}

/* A constant, or what training changes, in C order, in memory where kernels may load it. */
static crd_status place_constant(crd_context *ctx, crd__plan *plan, int tensor, int *place) {
  const crd__tensor *const t = tensor_of(plan, tensor);
  const size_t bytes = crd__tensor_bytes(t);
  CRD_TRY(crd__plan_fixed(ctx, plan, tensor, place));
  void *const memory = plan->buffers[plan->places[*place].buffer].fixed;
  if (bytes) memcpy(memory, t->constant ? t->constant : t->initial, bytes);
  return CRD_OK;
}

crd_status crd__plan_find(crd_context *ctx, crd__plan *plan, int tensor, int *place) {
  *place = plan->at[tensor];
  if (*place != CRD__NONE) return CRD_OK;
  if (crd__tensor_given(tensor_of(plan, tensor))) return place_constant(ctx, plan, tensor, place);
  return crd__plan_output(ctx, plan, tensor, place); /* an input of the network */
}

/* ---- From one form to another. */

crd_status crd__plan_reorder(crd_context *ctx, crd__plan *plan, int from, int to) {
  crd__primitive reorder;
  crd__form a, b;
  CRD_TRY(crd__plan_form(ctx, plan, from, &a));
  CRD_TRY(crd__plan_form(ctx, plan, to, &b));
  const crd_status status = crd__dnn_reorder(ctx, plan->net->dnn, a, b, &reorder);
  if (status == CRD_EABSENT)
    return crd__fail(ctx, CRD_ENUMERIC, "oneDNN cannot bring an array into another order");
  CRD_TRY(status);
  const crd__plan_argument arguments[] = { { CRD__ARG_SRC, from }, { CRD__ARG_DST, to } };
  return crd__plan_primitive(ctx, plan, NULL, &reorder, 2, arguments);
}

crd_status crd__plan_as(crd_context *ctx, crd__plan *plan, int tensor, crd__form form, int *place) {
  int from;
  CRD_TRY(crd__plan_find(ctx, plan, tensor, &from));
  for (*place = plan->at[tensor]; *place != CRD__NONE; *place = plan->places[*place].next) {
    crd__form here;
    CRD_TRY(crd__plan_form(ctx, plan, *place, &here));
    if (crd__form_same(here, form)) return CRD_OK;
  }
  CRD_TRY(crd__plan_output_as(ctx, plan, tensor, form, place));
  return crd__plan_reorder(ctx, plan, from, *place);
}

crd_status crd__plan_plain(crd_context *ctx, crd__plan *plan, int tensor, int *place) {
  crd__form form;
  CRD_TRY(crd__plan_find(ctx, plan, tensor, place));
  for (*place = plan->at[tensor]; *place != CRD__NONE; *place = plan->places[*place].next)
    if (plan->places[*place].plain) return CRD_OK;
  CRD_TRY(plain_form(ctx, plan, tensor, &form));
  return crd__plan_as(ctx, plan, tensor, form, place);
}

crd_status crd__plan_view(crd_context *ctx, crd__plan *plan, int place, crd__form form, int *out) {
  return add_place(
      ctx, plan,
      (crd__place){ .buffer = plan->places[place].buffer, .tensor = CRD__NONE, .form = form }, out);
}

crd_status crd__plan_seen(crd_context *ctx, crd__plan *plan, int tensor, crd__form seen,
                          crd__form form, int *place) {
  int from, view;
  CRD_TRY(crd__plan_plain(ctx, plan, tensor, &from));
  CRD_TRY(crd__plan_view(ctx, plan, from, seen, &view));
  *place = view;
  if (crd__form_same(seen, form)) return CRD_OK;
  CRD_TRY(crd__plan_scratch(ctx, plan, form, place));
  return crd__plan_reorder(ctx, plan, view, *place);
}

crd_status crd__plan_result(crd_context *ctx, crd__plan *plan, const crd__node *node,
                            crd__form form, int *place) {
  const int output = node->outputs[0];
  int addend;
  if (node->addend == CRD__NONE) return crd__plan_output_as(ctx, plan, output, form, place);
  CRD_TRY(crd__plan_as(ctx, plan, node->addend, form, &addend));
  CRD_TRY(crd__plan_output_over(ctx, plan, output, addend, node->addend, place));
  if (plan->places[addend].buffer == plan->places[*place].buffer) return CRD_OK;
  return crd__plan_reorder(ctx, plan, addend, *place);
}

/* Bring numbers into another form now. oneDNN loads floats, which must not lie between addresses.
 */
static crd_status reorder_now(crd_context *ctx, crd__plan *plan, const void *from, crd__form seen,
                              void *to, crd__form form) {
  crd__primitive reorder;
  crd__dnn_call *call;
  crd__blocks scratch = { .budget = &plan->net->budget };
  void *memory = NULL, *source = (void *)(uintptr_t)from;
  CRD_TRY(crd__dnn_reorder(ctx, plan->net->dnn, seen, form, &reorder));
  crd_status status = crd__blocks_add(ctx, &plan->alloc, &scratch, reorder.scratch, &memory);
  if (status == CRD_OK && (uintptr_t)from % sizeof(float)) {
    status = crd__blocks_add(ctx, &plan->alloc, &scratch, crd__form_bytes(seen), &source);
    if (status == CRD_OK) memcpy(source, from, crd__form_bytes(seen));
  }
  const crd__dnn_place places[] = {
    { CRD__ARG_SRC, seen, source },
    { CRD__ARG_DST, form, to },
    { CRD__ARG_SCRATCH, crd__primitive_form(&reorder, CRD__ARG_SCRATCH), memory },
  };
  if (status == CRD_OK) status = crd__dnn_bind(ctx, plan->net->dnn, &reorder, 3, places, &call);
  if (status == CRD_OK) status = crd__dnn_run(ctx, plan->net->dnn, call);
  crd__blocks_clear(&plan->alloc, &scratch);
  return status;
}

crd_status crd__plan_constant(crd_context *ctx, crd__plan *plan, int tensor, crd__form seen,
                              crd__form form, int *place) {
  const size_t bytes = crd__form_bytes(form);
  void *memory;
  int buffer;
  CRD_TRY(crd__blocks_add(ctx, &plan->alloc, &plan->blocks, bytes, &memory));
  const void *const from = tensor_of(plan, tensor)->constant;
  if (crd__form_same(seen, form)) memcpy(memory, from, bytes);
  else CRD_TRY(reorder_now(ctx, plan, from, seen, memory, form));
  CRD_TRY(add_buffer(ctx, plan, bytes, memory, &buffer));
  return add_place(ctx, plan, (crd__place){ .buffer = buffer, .tensor = CRD__NONE, .form = form },
                   place);
}

/* ---- Steps. */

static crd_status copy_list(crd_context *ctx, crd__plan *plan, const void *from, size_t bytes,
                            void *out) {
  void *memory;
  CRD_TRY(crd__blocks_add(ctx, &plan->alloc, &plan->blocks, bytes, &memory));
  if (bytes && from) memcpy(memory, from, bytes);
  memcpy(out, &memory, sizeof memory);
  return CRD_OK;
}

crd_status crd__plan_step(crd_context *ctx, crd__plan *plan, const crd__node *node,
                          crd__step_fn run, const void *self, size_t size, size_t count,
                          const int *places) {
  crd__step step = {
    .run = run, .node = node, .count = count, .threads = plan->net->threads, .net = plan->net
  };
  CRD_TRY(
      grow(ctx, plan, &plan->steps, plan->step_count, &plan->step_capacity, sizeof *plan->steps));
  CRD_TRY(copy_list(ctx, plan, self, size, &step.self));
  CRD_TRY(copy_list(ctx, plan, places, count * sizeof *places, &step.places));
  CRD_TRY(copy_list(ctx, plan, NULL, count * sizeof *step.memory, &step.memory));
  for (size_t i = 0; i < count; i++) {
    crd__buffer *const buffer = &plan->buffers[plan->places[places[i]].buffer];
    if ((int)plan->step_count < buffer->first) buffer->first = (int)plan->step_count;
    if ((int)plan->step_count > buffer->last) buffer->last = (int)plan->step_count;
  }
  plan->steps[plan->step_count++] = step;
  return CRD_OK;
}

static crd_status run_primitive(crd_context *ctx, const crd__step *step) {
  return crd__dnn_run(ctx, step->net->dnn, step->call);
}

crd_status crd__plan_primitive(crd_context *ctx, crd__plan *plan, const crd__node *node,
                               const crd__primitive *primitive, size_t count,
                               const crd__plan_argument *arguments) {
  int *places, buffer;
  crd__argument *names;
  CRD_TRY(copy_list(ctx, plan, NULL, (count + 1) * sizeof *places, &places));
  CRD_TRY(copy_list(ctx, plan, NULL, (count + 1) * sizeof *names, &names));
  for (size_t i = 0; i < count; i++) {
    places[i] = arguments[i].place;
    names[i] = arguments[i].argument;
  }
  CRD_TRY(add_buffer(ctx, plan, primitive->scratch, NULL, &buffer));
  CRD_TRY(add_place(ctx, plan,
                    (crd__place){ .buffer = buffer,
                                  .tensor = CRD__NONE,
                                  .form = crd__primitive_form(primitive, CRD__ARG_SCRATCH) },
                    &places[count]));
  names[count] = CRD__ARG_SCRATCH;
  CRD_TRY(crd__plan_step(ctx, plan, node, run_primitive, NULL, 0, count + 1, places));
  plan->steps[plan->step_count - 1].primitive = *primitive;
  plan->steps[plan->step_count - 1].arguments = names;
  return CRD_OK;
}

void crd__plan_hold(crd__plan *plan, int tensor) {
  if (plan->uses[tensor]++) return;
  for (int p = plan->at[tensor]; p != CRD__NONE; p = plan->places[p].next)
    plan->buffers[plan->places[p].buffer].tenants++;
}

/* A buffer without readers may be written over. */
void crd__plan_release(crd__plan *plan, int tensor) {
  if (tensor == CRD__NONE || plan->uses[tensor] == 0 || --plan->uses[tensor]) return;
  for (int p = plan->at[tensor]; p != CRD__NONE; p = plan->places[p].next)
    plan->buffers[plan->places[p].buffer].tenants--;
}

/* Nothing comes out of it: oneDNN divides by such sizes, and no operator need know of them. */
static bool is_idle(const crd__plan *plan, const crd__node *node) {
  bool idle = true;
  for (size_t i = 0; i < node->output_count; i++) {
    const crd__tensor *const y = crd__node_output(plan->net, node, i);
    idle = idle && (!y || crd__tensor_count(y) == 0);
  }
  return idle;
}

static crd_status plan_idle(crd_context *ctx, crd__plan *plan, const crd__node *node) {
  int place;
  for (size_t i = 0; i < node->output_count; i++)
    if (crd__node_output(plan->net, node, i))
      CRD_TRY(crd__plan_output(ctx, plan, node->outputs[i], &place));
  return CRD_OK;
}

crd_status crd__plan_node(crd_context *ctx, crd__plan *plan, const crd__node *node) {
  if (node->op->view) CRD_TRY(crd__plan_alias(ctx, plan, node->outputs[0], node->inputs[0]));
  else if (is_idle(plan, node)) CRD_TRY(plan_idle(ctx, plan, node));
  else CRD_TRY(node->op->plan(ctx, plan, node));
  for (size_t i = 0; i < node->input_count; i++) crd__plan_release(plan, node->inputs[i]);
  crd__plan_release(plan, node->addend);
  return CRD_OK;
}

/* ---- Putting it together. */

static void *memory_of(const crd__plan *plan, int place) {
  const crd__buffer *const buffer = &plan->buffers[plan->places[place].buffer];
  return buffer->fixed ? buffer->fixed : plan->memory + buffer->offset;
}

static crd_status bind(crd_context *ctx, crd__plan *plan, crd__step *step) {
  crd__dnn_place *places;
  for (size_t i = 0; i < step->count; i++) step->memory[i] = memory_of(plan, step->places[i]);
  if (!step->arguments) return CRD_OK;
  CRD_TRY(crd__new(ctx, step->count, sizeof *places, "a kernel's arguments", &places));
  crd_status status = CRD_OK;
  for (size_t i = 0; i < step->count && status == CRD_OK; i++) {
    const crd__place *const place = &plan->places[step->places[i]];
    places[i] = (crd__dnn_place){ step->arguments[i], place->form, step->memory[i] };
    if (!place->form.md && place->tensor != CRD__NONE)
      status = crd__plan_form(ctx, plan, step->places[i], &places[i].form);
  }
  if (status == CRD_OK)
    status = crd__dnn_bind(ctx, step->net->dnn, &step->primitive, step->count, places, &step->call);
  crd__free(&ctx->alloc, places);
  return status;
}

crd_status crd__plan_want(crd_context *ctx, crd__plan *plan, const int *outputs, size_t count) {
  for (size_t i = 0; i < count; i++) {
    int place;
    if (outputs[i] == CRD__NONE) continue;
    CRD_TRY(crd__plan_plain(ctx, plan, outputs[i], &place));
    CRD_TRY(grow(ctx, plan, &plan->wanted, plan->wanted_count, &plan->wanted_capacity,
                 sizeof *plan->wanted));
    plan->wanted[plan->wanted_count++] = place;
  }
  return CRD_OK;
}

/* Inputs are there from the first step on, what is wanted up to the last. */
static void stretch(crd__plan *plan) {
  const crd__net *const net = plan->net;
  for (size_t i = 0; i < plan->wanted_count; i++) {
    crd__buffer *const buffer = &plan->buffers[plan->places[plan->wanted[i]].buffer];
    buffer->last = (int)plan->step_count;
    if (buffer->first > buffer->last) buffer->first = 0;
  }
  for (size_t i = 0; i < net->input_count; i++)
    for (int p = plan->at[net->inputs[i]]; p != CRD__NONE; p = plan->places[p].next) {
      crd__buffer *const buffer = &plan->buffers[plan->places[p].buffer];
      if (!plan->places[p].plain) continue;
      buffer->first = 0;
      if (buffer->last < 0) buffer->last = 0;
    }
}

crd_status crd__plan_finish(crd_context *ctx, crd__plan *plan) {
  stretch(plan);
  CRD_TRY(crd__plan_arrange(ctx, plan));
  CRD_TRY(crd__blocks_add(ctx, &plan->alloc, &plan->blocks, plan->bytes, &plan->memory));
  for (size_t i = 0; i < plan->step_count; i++) CRD_TRY(bind(ctx, plan, &plan->steps[i]));
  return CRD_OK;
}

crd_status crd__plan_run(crd_context *ctx, const crd__plan *plan, size_t from, size_t to) {
  for (size_t i = from; i < to; i++) {
    if (crd__interrupted(ctx)) return crd__fail(ctx, CRD_EINTERRUPTED, "interrupted");
    CRD_TRY(plan->steps[i].run(ctx, &plan->steps[i]));
  }
  return CRD_OK;
}

void *crd__plan_memory(const crd__plan *plan, int tensor) {
  for (int p = plan->at[tensor]; p != CRD__NONE; p = plan->places[p].next)
    if (plan->places[p].plain) return memory_of(plan, p);
  return NULL;
}

size_t crd__plan_bytes(const crd__plan *plan) { return plan->bytes; }

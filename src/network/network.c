/* network.c -- compiles a model into a network: infer, fold, fuse, plan; then runs it and its
 * backward pass. */
#include "network/network.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/parallel.h"
#include "graph/backward.h"
#include "graph/fuse.h"
#include "network/model.h"
#include "network/ports.h"

#include <string.h>

typedef struct {
  crd_allocator alloc;
  crd__graph *net;
  crd__engine_plan *plan;
  size_t steps;                /* of the forward pass; those of the backward pass follow */
  crd_array *inputs, *outputs; /* in the types of the interface */
  crd__graph_gradients back;
  const crd_array **gradients; /* with respect to the inputs; NULL: none, for all or for one */
} engine;

/* Dead code elimination: remove nodes whose outputs are not read. */
static void mark_unread(crd__graph *net, int *readers) {
  for (size_t i = 0; i < net->output_count; i++) readers[net->outputs[i]]++;
  for (size_t n = net->node_count; n-- > 0;) {
    crd__graph_node *const node = &net->nodes[n];
    bool wanted = false;
    for (size_t i = 0; i < node->output_count; i++)
      wanted |= node->outputs[i] != CRD__NONE && readers[node->outputs[i]];
    node->gone |= !wanted;
    for (size_t i = 0; i < node->input_count && !node->gone; i++)
      if (node->inputs[i] != CRD__NONE) readers[node->inputs[i]]++;
  }
}

static crd_status drop_unread(crd_context *ctx, crd__graph *net) {
  int *readers;
  CRD_TRY(crd__new(ctx, net->engine.tensor_count + 1, sizeof *readers, "reader counts", &readers));
  mark_unread(net, readers);
  crd__free(&ctx->alloc, readers);
  return CRD_OK;
}

/* Plan the steps of the forward pass, followed by those of the backward pass. */
static crd_status plan_all(crd_context *ctx, engine *e) {
  crd__graph *const net = e->net;
  CRD_TRY(crd__graph_plan(ctx, net, &e->plan));
  for (size_t i = 0; i < net->input_count; i++) {
    int place;
    CRD_TRY(crd__engine_plan_find(ctx, e->plan, net->inputs[i], &place));
  }
  for (size_t n = 0; n < net->node_count; n++) {
    CRD_TRY(crd__check_interrupt(ctx));
    if (!net->nodes[n].gone) CRD_TRY(crd__graph_plan_node(ctx, e->plan, &net->nodes[n]));
  }
  CRD_TRY(crd__engine_plan_want(ctx, e->plan, net->outputs, net->output_count));
  e->steps = crd__engine_plan_steps(e->plan);
  if (net->mode != CRD_MODE_INFERENCE) CRD_TRY(crd__graph_backward_make(ctx, e->plan, &e->back));
  return crd__engine_plan_finish(ctx, e->plan, net->inputs, net->input_count);
}

static crd_status describe(crd_context *ctx, crd__graph *net, const int *tensors, size_t count,
                           crd_array **out) {
  CRD_TRY(crd__engine_memory(ctx, &net->engine, count, sizeof **out, out));
  for (size_t i = 0; i < count; i++) {
    const crd__engine_tensor *const tensor = &net->engine.tensors[tensors[i]];
    (*out)[i].dtype = tensor->dtype;
    (*out)[i].rank = tensor->rank;
    memcpy((*out)[i].dims, tensor->dims, sizeof tensor->dims);
  }
  return CRD_OK;
}

static crd_status describe_gradients(crd_context *ctx, engine *e) {
  crd__graph *const net = e->net;
  CRD_TRY(
      crd__engine_memory(ctx, &net->engine, net->input_count, sizeof *e->gradients, &e->gradients));
  for (size_t i = 0; i < net->input_count; i++) {
    const int gradient = e->back.inputs[i];
    crd_array *one;
    if (gradient == CRD__NONE) continue;
    CRD_TRY(describe(ctx, net, &gradient, 1, &one));
    one->data = crd__engine_plan_memory(e->plan, gradient);
    e->gradients[i] = one;
  }
  for (size_t i = 0; i < e->back.parameter_count; i++) {
    crd_parameter *const p = &e->back.parameters[i];
    p->shape.data = p->values = crd__engine_plan_memory(e->plan, e->back.tensors[i]);
  }
  return CRD_OK;
}

static crd_status compile(crd_context *ctx, engine *e) {
  crd__graph *const net = e->net;
  CRD_TRY(drop_unread(ctx, net));
  CRD_TRY(crd__graph_fuse(ctx, net));
  CRD_TRY(crd__graph_mark(ctx, net));
  CRD_TRY(plan_all(ctx, e));
  CRD_TRY(describe(ctx, net, net->inputs, net->input_count, &e->inputs));
  CRD_TRY(describe(ctx, net, net->outputs, net->output_count, &e->outputs));
  crd__network_ports_type(net, e->inputs);
  CRD_TRY(crd__network_ports_place(ctx, net, e->plan, e->outputs));
  return net->mode == CRD_MODE_INFERENCE ? CRD_OK : describe_gradients(ctx, e);
}

static void destroy(void *self) {
  engine *const e = self;
  const crd_allocator alloc = e->alloc;
  crd__engine_plan_destroy(e->plan);
  crd__graph_destroy(e->net);
  crd__free(&alloc, e);
}

static const crd_array *input(const void *self, size_t index) {
  const engine *const e = self;
  return index < e->net->input_count ? &e->inputs[index] : NULL;
}

static const crd_array *output(const void *self, size_t index) {
  const engine *const e = self;
  return index < e->net->output_count ? &e->outputs[index] : NULL;
}

static const char *input_name(const void *self, size_t index) {
  const engine *const e = self;
  return e->net->engine.tensors[e->net->inputs[index]].name;
}

static crd_status run(crd_context *ctx, void *self, const crd_array *inputs, size_t count) {
  const engine *const e = self;
  crd__graph *const net = e->net;
  const unsigned before = crd__parallel_limit(net->engine.threads);
  crd__network_ports_enter(net, e->plan, inputs, count);
  net->engine.runs++;
  const crd_status status = crd__engine_plan_run(ctx, e->plan, 0, e->steps);
  if (status == CRD_OK) crd__network_ports_leave(net, e->plan, e->outputs);
  crd__parallel_limit(before);
  return status;
}

static crd_status backward(crd_context *ctx, void *self, const crd_array *gradient) {
  const engine *const e = self;
  if (e->net->mode == CRD_MODE_INFERENCE)
    return crd__fail(ctx, CRD_EUSAGE,
                     "the network was compiled for inference: it has no gradients");
  const size_t bytes = crd__engine_tensor_bytes(&e->net->engine.tensors[e->back.incoming]);
  memcpy(crd__engine_plan_memory(e->plan, e->back.incoming), gradient->data, bytes);
  const unsigned before = crd__parallel_limit(e->net->engine.threads);
  const crd_status status =
      crd__engine_plan_run(ctx, e->plan, e->steps, crd__engine_plan_steps(e->plan));
  crd__parallel_limit(before);
  return status;
}

static const crd_array *input_gradient(const void *self, size_t index) {
  const engine *const e = self;
  return e->gradients && index < e->net->input_count ? e->gradients[index] : NULL;
}

static const crd_parameter *parameter(const void *self, size_t index) {
  const engine *const e = self;
  return index < e->back.parameter_count ? &e->back.parameters[index] : NULL;
}

static void clear(void *self) {
  const engine *const e = self;
  for (size_t i = 0; i < e->back.parameter_count; i++) {
    const crd_parameter *const p = &e->back.parameters[i];
    if (p->gradient) memset(p->gradient, 0, p->count * sizeof *p->gradient);
  }
}

static const crd__network_kind kind = { .run = run,
                                        .backward = backward,
                                        .input = input,
                                        .output = output,
                                        .input_name = input_name,
                                        .input_gradient = input_gradient,
                                        .parameter = parameter,
                                        .clear = clear,
                                        .destroy = destroy };

static crd_status infer(crd_context *ctx, crd__graph *net) {
  const unsigned before = crd__parallel_limit(net->engine.threads);
  crd_status status = CRD_OK;
  for (size_t n = 0; n < net->node_count && status == CRD_OK; n++) {
    status = crd__check_interrupt(ctx);
    if (status == CRD_OK) status = crd__graph_infer(ctx, net, &net->nodes[n]);
  }
  crd__parallel_limit(before);
  return status;
}

crd_status crd__network_compile(crd_context *ctx, crd__graph *net, crd_network **out) {
  engine *e;
  *out = NULL;
  crd_status status = crd__new(ctx, 1, sizeof *e, "a network", &e);
  if (status != CRD_OK) {
    crd__graph_destroy(net);
    return status;
  }
  e->alloc = ctx->alloc;
  e->net = net;
  const char *const path = net->file->path;
  const unsigned before = crd__parallel_limit(net->engine.threads);
  status = compile(ctx, e);
  crd__parallel_limit(before);
  if (status == CRD_OK) return crd__network_wrap(ctx, &kind, e, out);
  destroy(e);
  return crd__fail_in(ctx, status, path);
}

crd_status crd_network_compile(crd_context *ctx, const crd_model *model,
                               const crd_compile_options *options, crd_network **out) {
  crd_compile_options own;
  crd__graph *net;
  *out = NULL;
  CRD_TRY(CRD_READ_OPTIONS(ctx, crd_compile_options, options, &own));
  crd_status status = crd__graph_create(ctx, model->file, &own, &net);
  if (status == CRD_OK) status = infer(ctx, net);
  if (status == CRD_OK) return crd__network_compile(ctx, net, out);
  crd__graph_destroy(net);
  return crd__fail_in(ctx, status, model->file->path);
}

void crd__network_set_run(const crd_network *network, uint64_t index) {
  const engine *const e = network->self;
  e->net->engine.runs = index;
}

size_t crd__network_bytes(const crd_network *network) {
  const engine *const e = network->self;
  return crd__engine_plan_bytes(e->plan);
}

/* backward.c -- plans the backward pass (backward.h): which nodes it visits, and their steps. */
#include "graph/backward.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "engine/kernel/reduce.h"
#include "graph/op.h"

#include <string.h>

struct crd__graph_backward {
  crd__engine_plan *plan;
  crd__graph *net;
  size_t capacity;
  int *gradient; /* for each tensor: the gradient with respect to it so far, a tensor; NONE */
};

/* ---- Which tensors need a gradient, and which nodes compute one. */

static bool any_wants(const crd__graph *net, const crd__graph_node *node) {
  bool wants = node->addend != CRD__NONE && net->engine.tensors[node->addend].wants;
  for (size_t i = 0; i < node->input_count; i++)
    wants |= node->inputs[i] != CRD__NONE && net->engine.tensors[node->inputs[i]].wants;
  return wants;
}

/* True if the tensor may have a gradient. Empty tensors have none. Those of f64 may need one, which
 * is then an error (loses_gradient). */
static bool can_want(const crd__engine_tensor *tensor) {
  const bool real = tensor->dtype == CRD_F32 || tensor->dtype == CRD_F64;
  return real && !tensor->statistic && crd__engine_tensor_count(tensor);
}

/* Mark the tensors with a derivative with respect to an input or parameter that may not be zero. */
static void mark_forward(crd__graph *net) {
  for (size_t t = 0; t < net->engine.tensor_count; t++)
    net->engine.tensors[t].wants =
        net->engine.tensors[t].initial && can_want(&net->engine.tensors[t]);
  for (size_t i = 0; i < net->input_count; i++)
    net->engine.tensors[net->inputs[i]].wants =
        !net->frozen_input && can_want(&net->engine.tensors[net->inputs[i]]);
  for (size_t n = 0; n < net->node_count; n++) {
    const crd__graph_node *const node = &net->nodes[n];
    if (node->gone || node->op->flat || !any_wants(net, node)) continue;
    for (size_t i = 0; i < node->output_count; i++)
      if (node->outputs[i] != CRD__NONE)
        net->engine.tensors[node->outputs[i]].wants =
            can_want(&net->engine.tensors[node->outputs[i]]);
  }
}

/* True if the node needs a gradient with respect to an input of float64: unsupported, and otherwise
 * silently lost. */
static bool loses_gradient(const crd__graph *net, const crd__graph_node *node) {
  bool other = false;
  for (size_t i = 0; i < node->input_count; i++) {
    const crd__engine_tensor *const x =
        node->inputs[i] == CRD__NONE ? NULL : &net->engine.tensors[node->inputs[i]];
    other |= x && x->wants && x->dtype != CRD_F32;
  }
  return other;
}

static bool reaches(const crd__graph_node *node, const bool *reached) {
  bool any = false;
  for (size_t i = 0; i < node->output_count; i++)
    any |= node->outputs[i] != CRD__NONE && reached[node->outputs[i]];
  return any;
}

crd_status crd__graph_mark(crd_context *ctx, crd__graph *net) {
  bool *reached;
  crd_status status = CRD_OK;
  if (net->mode == CRD_MODE_INFERENCE) return CRD_OK;
  const crd__engine_tensor *const y = &net->engine.tensors[net->outputs[0]];
  if (y->dtype != CRD_F32)
    return crd__fail(ctx, CRD_EINPUT,
                     "the output '%.60s' is %s; gradients are supported for f16, bf16 and f32 only",
                     y->name, crd_dtype_name(y->dtype));
  CRD_TRY(
      crd__new(ctx, net->engine.tensor_count + 1, sizeof *reached, "the backward pass", &reached));
  mark_forward(net);
  reached[net->outputs[0]] = true;
  for (size_t n = net->node_count; n-- > 0 && status == CRD_OK;) {
    crd__graph_node *const node = &net->nodes[n];
    if (node->gone || !reaches(node, reached)) continue;
    node->back = !node->op->flat && any_wants(net, node);
    if (!node->back) continue;
    if (!node->op->backward && !node->op->view)
      status = crd__graph_node_fail(ctx, node,
                                    "this operator has no gradient: the network can be run, but "
                                    "not differentiated (%s lists operators with gradients)",
                                    crd__spell(ctx, "crd_operator_at"));
    else if (loses_gradient(net, node))
      status = crd__graph_node_fail(ctx, node,
                                    "gradients are supported for f16, bf16 and f32, not for f64");
    for (size_t i = 0; i < node->input_count; i++)
      if (node->inputs[i] != CRD__NONE) reached[node->inputs[i]] = true;
    if (node->addend != CRD__NONE) reached[node->addend] = true;
  }
  crd__free(&ctx->alloc, reached);
  return status;
}

unsigned crd__graph_op_keeps(const crd__graph *net, const crd__graph_node *node) {
  if (!node->back || node->gone) return 0;
  unsigned keep = node->op->keep;
  if (net->mode == CRD_MODE_TRAINING) keep |= node->op->keep_training;
  const bool undone =
      node->op->undoes && net->mode == CRD_MODE_TRAINING && node->addend == CRD__NONE;
  for (size_t i = 0; i < node->after.count && !undone; i++)
    if (!node->after.items[i].sum) keep |= CRD__KEEP_Y;
  return keep;
}

/* ---- For operators. */

crd__engine_plan *crd__graph_backward_plan(const crd__graph_backward *back) { return back->plan; }

int crd__graph_backward_incoming(const crd__graph_backward *back, const crd__graph_node *node,
                                 size_t output) {
  if (output >= node->output_count || node->outputs[output] == CRD__NONE) return CRD__NONE;
  return back->gradient[node->outputs[output]];
}

bool crd__graph_backward_wants(const crd__graph_backward *back, const crd__graph_node *node,
                               size_t input) {
  return input < node->input_count && node->inputs[input] != CRD__NONE &&
         back->net->engine.tensors[node->inputs[input]].wants;
}

/* Grow `gradient` for tensors added meanwhile. */
static crd_status grow(crd_context *ctx, crd__graph_backward *back) {
  if (back->gradient && back->net->engine.tensor_count <= back->capacity) return CRD_OK;
  const size_t bigger = 2 * back->net->engine.tensor_count;
  int *const moved = crd__resize(&ctx->alloc, back->gradient, bigger, sizeof *moved);
  if (!moved) return crd__fail(ctx, CRD_ENOMEM, "no memory for %zu gradients", bigger);
  for (size_t i = back->capacity; i < bigger; i++) moved[i] = CRD__NONE;
  back->gradient = moved;
  back->capacity = bigger;
  return CRD_OK;
}

static crd_status new_tensor(crd_context *ctx, crd__graph_backward *back, int like, int *out) {
  const crd__engine_tensor model = back->net->engine.tensors[like];
  CRD_TRY(crd__engine_plan_tensor(ctx, back->plan, model.name, model.rank, model.dims, out));
  return grow(ctx, back);
}

crd_status crd__graph_backward_tensor(crd_context *ctx, crd__graph_backward *back,
                                      const crd__graph_node *node, size_t input, int *out) {
  return new_tensor(ctx, back, node->inputs[input], out);
}

/* Add the step out = a + b, in place of a if it has no other reader. */
static crd_status add(crd_context *ctx, crd__graph_backward *back, const crd__graph_node *node,
                      int a, int b, int *out) {
  crd__engine_plan *const plan = back->plan;
  crd__engine_plan_argument arguments[] = { { CRD__ARG_SRC, 0 },
                                            { CRD__ARG_SRC_1, 0 },
                                            { CRD__ARG_DST, 0 } };
  crd__engine_layout layout;
  crd__engine_primitive primitive;
  CRD_TRY(crd__engine_plan_find(ctx, plan, a, &arguments[0].place));
  CRD_TRY(crd__engine_plan_layout(ctx, plan, arguments[0].place, &layout));
  CRD_TRY(crd__engine_plan_as(ctx, plan, b, layout, &arguments[1].place));
  CRD_TRY(crd__engine_dnn_combine(ctx, back->net->engine.dnn, CRD__BINARY_ADD, layout, layout,
                                  layout, NULL, &primitive));
  CRD_TRY(new_tensor(ctx, back, a, out));
  CRD_TRY(
      crd__engine_plan_output_over(ctx, plan, *out, arguments[0].place, a, &arguments[2].place));
  return crd__engine_plan_primitive(ctx, plan, node, &primitive, 3, arguments);
}

static crd_status give(crd_context *ctx, crd__graph_backward *back, const crd__graph_node *node,
                       int to, int tensor) {
  const int before = back->gradient[to];
  int sum = tensor;
  if (before != CRD__NONE) CRD_TRY(add(ctx, back, node, before, tensor, &sum));
  crd__engine_plan_hold(back->plan, sum);
  if (before != CRD__NONE) crd__engine_plan_release(back->plan, before);
  back->gradient[to] = sum;
  return CRD_OK;
}

crd_status crd__graph_backward_give(crd_context *ctx, crd__graph_backward *back,
                                    const crd__graph_node *node, size_t input, int tensor) {
  return give(ctx, back, node, node->inputs[input], tensor);
}

bool crd__graph_backward_wants_addend(const crd__graph_backward *back,
                                      const crd__graph_node *node) {
  return node->addend != CRD__NONE && back->net->engine.tensors[node->addend].wants;
}

crd_status crd__graph_backward_give_addend(crd_context *ctx, crd__graph_backward *back,
                                           const crd__graph_node *node, int tensor) {
  return give(ctx, back, node, node->addend, tensor);
}

bool crd__graph_backward_shares(const crd__graph_backward *back, const crd__graph_node *node,
                                size_t input) {
  const crd__graph *const net = back->net;
  size_t readers = 0;
  bool is_input = false;
  for (size_t i = 0; i < net->input_count; i++) is_input |= net->inputs[i] == node->inputs[input];
  if (!net->shared || !is_input) return false;
  for (size_t n = 0; n < net->node_count; n++)
    for (size_t i = 0; i < net->nodes[n].input_count && !net->nodes[n].gone; i++)
      readers += net->nodes[n].inputs[i] == node->inputs[input];
  return readers == 1;
}

crd_status crd__graph_backward_eltwise(crd_context *ctx, crd__graph_backward *back,
                                       const crd__graph_node *node,
                                       const crd__engine_post_op *function, int out) {
  crd__engine_plan *const plan = back->plan;
  const bool result = crd__engine_eltwise_from_result(function);
  const int data = result ? node->outputs[0] : node->inputs[0];
  const int incoming = crd__graph_backward_incoming(back, node, 0);
  crd__engine_plan_argument arguments[] = { { result ? CRD__ARG_DST : CRD__ARG_SRC, 0 },
                                            { CRD__ARG_DIFF_DST, 0 },
                                            { CRD__ARG_DIFF_SRC, 0 } };
  crd__engine_layout layout;
  crd__engine_primitive primitive;
  CRD_TRY(crd__engine_plan_find(ctx, plan, data, &arguments[0].place));
  CRD_TRY(crd__engine_plan_layout(ctx, plan, arguments[0].place, &layout));
  CRD_TRY(crd__engine_plan_as(ctx, plan, incoming, layout, &arguments[1].place));
  CRD_TRY(crd__engine_dnn_eltwise_back(ctx, back->net->engine.dnn, function, layout, layout,
                                       &primitive));
  CRD_TRY(crd__engine_plan_output_over(ctx, plan, out, arguments[1].place, incoming,
                                       &arguments[2].place));
  return crd__engine_plan_primitive(ctx, plan, node, &primitive, 3, arguments);
}

/* ---- Node by node. */

/* Differentiate the post-ops of the node, the last one first. */
static crd_status undo_post_ops(crd_context *ctx, crd__graph_backward *back,
                                const crd__graph_node *node) {
  if (node->op->undoes && back->net->mode == CRD_MODE_TRAINING) return CRD_OK;
  for (size_t i = node->after.count; i-- > 0;) {
    const crd__engine_post_op *const after = &node->after.items[i];
    const int y = node->outputs[0];
    int slope;
    if (after->sum) {
      if (crd__graph_backward_wants_addend(back, node))
        CRD_TRY(crd__graph_backward_give_addend(ctx, back, node, back->gradient[y]));
      continue;
    }
    CRD_TRY(new_tensor(ctx, back, y, &slope));
    CRD_TRY(crd__graph_backward_eltwise(ctx, back, node, after, slope));
    crd__engine_plan_hold(back->plan, slope);
    crd__engine_plan_release(back->plan, back->gradient[y]);
    back->gradient[y] = slope;
  }
  return CRD_OK;
}

static crd_status plan_view(crd_context *ctx, crd__graph_backward *back,
                            const crd__graph_node *node) {
  int same;
  if (!crd__graph_backward_wants(back, node, 0)) return CRD_OK;
  CRD_TRY(crd__graph_backward_tensor(ctx, back, node, 0, &same));
  CRD_TRY(
      crd__engine_plan_alias(ctx, back->plan, same, crd__graph_backward_incoming(back, node, 0)));
  return crd__graph_backward_give(ctx, back, node, 0, same);
}

static bool has_incoming(const crd__graph_backward *back, const crd__graph_node *node) {
  bool any = false;
  for (size_t i = 0; i < node->output_count; i++)
    any |= crd__graph_backward_incoming(back, node, i) != CRD__NONE;
  return any;
}

/* Release the tensors kept for the node's backward pass. */
static void release_kept(crd__graph_backward *back, const crd__graph_node *node) {
  const unsigned keep = crd__graph_op_keeps(back->net, node);
  for (size_t i = 0; i < node->input_count; i++)
    if (crd__graph_has_input(keep, i)) crd__engine_plan_release(back->plan, node->inputs[i]);
  if (keep & CRD__KEEP_Y) crd__engine_plan_release(back->plan, node->outputs[0]);
  for (size_t i = 0; i < node->output_count; i++)
    crd__engine_plan_release(back->plan, crd__graph_backward_incoming(back, node, i));
}

static crd_status plan_node(crd_context *ctx, crd__graph_backward *back,
                            const crd__graph_node *node) {
  if (has_incoming(back, node)) {
    CRD_TRY(undo_post_ops(ctx, back, node));
    if (node->op->view) CRD_TRY(plan_view(ctx, back, node));
    else CRD_TRY(node->op->backward(ctx, back, node));
  }
  release_kept(back, node);
  return CRD_OK;
}

/* ---- Results. */

static crd_status run_sum(crd_context *ctx, const crd__engine_step *step) {
  static const bool first[CRD_RANK_MAX] = { true };
  const crd__engine_tensor *const x = step->self;
  (void)ctx;
  crd__kernel_reduce_axes(step->threads, CRD__SUM, CRD_F32, x->rank, x->dims, first,
                          step->memory[0], step->memory[1]);
  return CRD_OK;
}

/* Sum over the batch, unless that has been done. */
static crd_status share(crd_context *ctx, crd__graph_backward *back, int *gradient) {
  const crd__engine_tensor x = back->net->engine.tensors[*gradient];
  int64_t dims[CRD_RANK_MAX];
  int places[2];
  if (!x.rank || x.dims[0] == 1) return CRD_OK;
  memcpy(dims, x.dims, sizeof dims);
  dims[0] = 1;
  CRD_TRY(crd__engine_plan_plain(ctx, back->plan, *gradient, &places[0]));
  CRD_TRY(crd__engine_plan_tensor(ctx, back->plan, x.name, x.rank, dims, gradient));
  CRD_TRY(crd__engine_plan_output(ctx, back->plan, *gradient, &places[1]));
  return crd__engine_plan_step(ctx, back->plan, NULL, run_sum, &x, sizeof x, 2, places);
}

static crd_status collect_inputs(crd_context *ctx, crd__graph_backward *back,
                                 crd__graph_gradients *out) {
  crd__graph *const net = back->net;
  CRD_TRY(
      crd__engine_memory(ctx, &net->engine, net->input_count, sizeof *out->inputs, &out->inputs));
  for (size_t i = 0; i < net->input_count; i++) {
    out->inputs[i] = back->gradient[net->inputs[i]];
    if (out->inputs[i] == CRD__NONE) continue;
    if (net->shared) CRD_TRY(share(ctx, back, &out->inputs[i]));
    CRD_TRY(crd__engine_plan_want(ctx, back->plan, &out->inputs[i], 1));
  }
  return CRD_OK;
}

typedef struct {
  float *to;
  const float *from;
  size_t count;
} addition;

static void add_span(void *arg, size_t from, size_t to) {
  const addition *const a = arg;
  for (size_t i = from; i < to; i++) a->to[i] += a->from[i];
}

static crd_status run_addition(crd_context *ctx, const crd__engine_step *step) {
  addition a = *(const addition *)step->self;
  (void)ctx;
  a.from = step->memory[0];
  crd__parallel_spans(step->threads, a.count, 65536, add_span, &a);
  return CRD_OK;
}

static crd_status collect_parameter(crd_context *ctx, crd__graph_backward *back, int tensor,
                                    crd_parameter *out) {
  const crd__engine_tensor t = back->net->engine.tensors[tensor];
  int place;
  *out = (crd_parameter){ .name = t.name,
                          .shape = { .dtype = CRD_F32, .rank = t.rank },
                          .count = crd__engine_tensor_count(&t) };
  memcpy(out->shape.dims, t.dims, sizeof out->shape.dims);
  CRD_TRY(crd__engine_plan_find(ctx, back->plan, tensor, &place));
  if (t.statistic) return CRD_OK;
  CRD_TRY(crd__engine_memory(ctx, &back->net->engine, out->count, sizeof *out->gradient,
                             &out->gradient));
  if (back->gradient[tensor] == CRD__NONE) return CRD_OK;
  const addition self = { .to = out->gradient, .count = out->count };
  CRD_TRY(crd__engine_plan_plain(ctx, back->plan, back->gradient[tensor], &place));
  return crd__engine_plan_step(ctx, back->plan, NULL, run_addition, &self, sizeof self, 1, &place);
}

static crd_status collect_parameters(crd_context *ctx, crd__graph_backward *back,
                                     crd__graph_gradients *out) {
  crd__graph *const net = back->net;
  const size_t edges = net->file->edge_count;
  size_t count = 0;
  for (size_t t = 0; t < edges; t++) count += net->engine.tensors[t].initial != NULL;
  CRD_TRY(crd__engine_memory(ctx, &net->engine, count, sizeof *out->parameters, &out->parameters));
  CRD_TRY(crd__engine_memory(ctx, &net->engine, count, sizeof *out->tensors, &out->tensors));
  for (size_t t = 0; t < edges; t++) {
    if (!net->engine.tensors[t].initial) continue;
    out->tensors[out->parameter_count] = (int)t;
    CRD_TRY(collect_parameter(ctx, back, (int)t, &out->parameters[out->parameter_count++]));
  }
  return CRD_OK;
}

static crd_status plan_backward(crd_context *ctx, crd__graph_backward *back,
                                crd__graph_gradients *out) {
  const crd__graph *const net = back->net;
  int place;
  CRD_TRY(new_tensor(ctx, back, net->outputs[0], &out->incoming));
  CRD_TRY(crd__engine_plan_fixed(ctx, back->plan, out->incoming, &place));
  CRD_TRY(give(ctx, back, NULL, net->outputs[0], out->incoming));
  for (size_t n = net->node_count; n-- > 0;)
    if (net->nodes[n].back && !net->nodes[n].gone) CRD_TRY(plan_node(ctx, back, &net->nodes[n]));
  CRD_TRY(collect_inputs(ctx, back, out));
  return collect_parameters(ctx, back, out);
}

crd_status crd__graph_backward_make(crd_context *ctx, crd__engine_plan *plan,
                                    crd__graph_gradients *out) {
  crd__graph_backward back = { .plan = plan, .net = crd__graph_plan_net(plan) };
  *out = (crd__graph_gradients){ .incoming = CRD__NONE };
  crd_status status = grow(ctx, &back);
  if (status == CRD_OK) status = plan_backward(ctx, &back, out);
  crd__free(&ctx->alloc, back.gradient);
  return status;
}

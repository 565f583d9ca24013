/*
 * soft.c -- Softmax, exp(x) / sum of exp along an axis, LogSoftmax, its logarithm, and Hardmax, 1
 * for the first maximum and 0 for the others. From operator set 13 on the axis is one dimension, by
 * default the last; before, all dimensions from the axis on (by default 1) are flattened to one.
 */
#include "engine/kernel/hardmax.h"
#include "engine/kernel/norm.h"
#include "graph/op/plain.h"

enum { SOFT, SOFT_LOG }; /* values of crd__graph_op.kind */

static crd_status find_axis(crd_context *ctx, const crd__graph *net, const crd__graph_node *node,
                            size_t *axis) {
  const bool one = node->opset >= 13;
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  const int64_t given = crd__graph_node_int(node, "axis", one ? -1 : 1);
  if (!one && given == (int64_t)x->rank) { /* slices of one element */
    *axis = x->rank;
    return CRD_OK;
  }
  return crd__graph_node_axis(ctx, node, given, x->rank, axis);
}

/* Compute the numbers of elements before, along and after the axis. */
static crd_status find_dims(crd_context *ctx, const crd__graph *net, const crd__graph_node *node,
                            int64_t dims[3]) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  size_t axis;
  CRD_TRY(find_axis(ctx, net, node, &axis));
  for (size_t i = 0; i < 3; i++) dims[i] = 1;
  for (size_t i = 0; i < x->rank; i++)
    dims[i < axis ? 0 : i == axis || node->opset < 13 ? 1 : 2] *= x->dims[i];
  return CRD_OK;
}

static crd_status softmax_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  size_t axis;
  CRD_TRY(crd__graph_node_needs_reals(ctx, net, node));
  CRD_TRY(find_axis(ctx, net, node, &axis));
  return crd__graph_node_set_like(ctx, net, node, 0, 0);
}

typedef struct {
  bool log;
  crd_dtype dtype;
  size_t dims[3];
} softening;

static crd_status run_own(crd_context *ctx, const crd__engine_step *step) {
  const softening *const s = step->self;
  (void)ctx;
  crd__kernel_softmax(step->threads, s->dtype, s->log, s->dims[0], s->dims[1], s->dims[2],
                      step->memory[0], step->memory[1]);
  return CRD_OK;
}

static crd_status softmax_plan(crd_context *ctx, crd__engine_plan *plan,
                               const crd__graph_node *node) {
  const bool log = node->op->kind == SOFT_LOG;
  const crd__graph *const net = crd__graph_plan_net(plan);
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  int64_t dims[3];
  crd__engine_layout layout;
  crd__engine_primitive primitive;
  crd__engine_plan_argument arguments[] = { { CRD__ARG_SRC, 0 }, { CRD__ARG_DST, 0 } };
  int from, to;
  CRD_TRY(find_dims(ctx, net, node, dims));
  CRD_TRY(crd__engine_plan_plain(ctx, plan, node->inputs[0], &from));
  CRD_TRY(crd__engine_plan_output_over(ctx, plan, node->outputs[0], from, node->inputs[0], &to));
  if (x->dtype != CRD_F32) {
    const softening self = { log, x->dtype, { (size_t)dims[0], (size_t)dims[1], (size_t)dims[2] } };
    return crd__engine_plan_step(ctx, plan, node, run_own, &self, sizeof self, 2,
                                 (int[]){ from, to });
  }
  CRD_TRY(crd__engine_layout_plain(ctx, net->engine.dnn, dims[2] > 1 ? 3 : 2, dims, &layout));
  CRD_TRY(crd__engine_dnn_softmax(ctx, net->engine.dnn, log, 1, layout, &primitive));
  CRD_TRY(crd__engine_plan_view(ctx, plan, from, layout, &arguments[0].place));
  CRD_TRY(crd__engine_plan_view(ctx, plan, to, layout, &arguments[1].place));
  return crd__engine_plan_primitive(ctx, plan, node, &primitive, 2, arguments);
}

static crd_status run_back(crd_context *ctx, const crd__engine_step *step) {
  const softening *const s = step->self;
  (void)ctx;
  crd__kernel_softmax_back(step->threads, s->log, s->dims[0], s->dims[1], s->dims[2],
                           step->memory[0], step->memory[1], step->memory[2]);
  return CRD_OK;
}

static crd_status softmax_backward(crd_context *ctx, crd__graph_backward *back,
                                   const crd__graph_node *node) {
  const bool log = node->op->kind == SOFT_LOG;
  int64_t dims[3];
  CRD_TRY(find_dims(ctx, crd__graph_plan_net(crd__graph_backward_plan(back)), node, dims));
  const softening s = { log, CRD_F32, { (size_t)dims[0], (size_t)dims[1], (size_t)dims[2] } };
  return crd__graph_plain_back(ctx, back, node, 0,
                               &(crd__graph_plain_step){ .run = run_back,
                                                         .self = &s,
                                                         .size = sizeof s,
                                                         .count = 1,
                                                         .read = { node->outputs[0] },
                                                         .over = true });
}

static const crd__graph_op_attribute attributes[] = {
  { "axis", CRD__ATTRIBUTE_INT },
  { .name = NULL },
};

#define SOFTMAX(entry, id, name)                                                                   \
  const crd__graph_op crd__graph_op_##entry = {                                                    \
    .info = { name, "f16, f32, f64", 1, CRD__OPSET, 1, 0 },                                        \
    .kind = id,                                                                                    \
    .inputs_least = 1,                                                                             \
    .inputs_most = 1,                                                                              \
    .outputs_least = 1,                                                                            \
    .outputs_most = 1,                                                                             \
    .attributes = attributes,                                                                      \
    .infer = softmax_infer,                                                                        \
    .plan = softmax_plan,                                                                          \
    .backward = softmax_backward,                                                                  \
    .keep = CRD__KEEP_Y,                                                                           \
  }

SOFTMAX(softmax, SOFT, "Softmax");
SOFTMAX(log_softmax, SOFT_LOG, "LogSoftmax");

/* ---- Hardmax. */

static crd_status run_hard(crd_context *ctx, const crd__engine_step *step) {
  const softening *const s = step->self;
  (void)ctx;
  crd__kernel_hardmax(step->threads, s->dtype, s->dims[0], s->dims[1], s->dims[2], step->memory[0],
                      step->memory[1]);
  return CRD_OK;
}

static crd_status hardmax_plan(crd_context *ctx, crd__engine_plan *plan,
                               const crd__graph_node *node) {
  const crd__graph *const net = crd__graph_plan_net(plan);
  int64_t dims[3];
  CRD_TRY(find_dims(ctx, net, node, dims));
  const softening s = { false,
                        crd__graph_node_input(net, node, 0)->dtype,
                        { (size_t)dims[0], (size_t)dims[1], (size_t)dims[2] } };
  return crd__graph_plain_plan(ctx, plan, node, run_hard, &s, sizeof s);
}

const crd__graph_op crd__graph_op_hardmax = {
  .info = { "Hardmax", "f16, f32, f64", 1, CRD__OPSET, 0, 0 },
  .inputs_least = 1,
  .inputs_most = 1,
  .outputs_least = 1,
  .outputs_most = 1,
  .attributes = attributes,
  .infer = softmax_infer,
  .plan = hardmax_plan,
  .flat = true,
};

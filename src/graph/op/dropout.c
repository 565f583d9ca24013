/*
 * dropout.c -- Dropout. In inference: the identity, with a mask of all true. In a network compiled
 * for training, whatever the file demands: random zeros (kernel/dropout.h), drawn anew in every run
 * and the same in its backward pass.
 */
#include "engine/kernel/dropout.h"
#include "graph/op/plain.h"

#include <string.h>

/* Create the mask: bool from operator set 10 on, before that of the input's type. */
static crd_status make_mask(crd_context *ctx, crd__graph *net, const crd__graph_node *node) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  unsigned char *mask;
  if (!crd__graph_node_output(net, node, 1)) return CRD_OK;
  if (node->opset < 10)
    return crd__graph_node_fail(ctx, node, "its mask is supported from operator set 10 on");
  const size_t count = crd__engine_tensor_count(x);
  CRD_TRY(crd__engine_memory(ctx, &net->engine, count ? count : 1, 1, &mask));
  memset(mask, 1, count);
  CRD_TRY(crd__graph_node_set(ctx, net, node, 1, CRD_BOOL, x->rank, x->dims));
  net->engine.tensors[node->outputs[1]].constant = mask;
  return CRD_OK;
}

/* ---- In training. */

typedef struct {
  uint32_t node;
  double ratio;
  size_t count;
} dropping;

/* Read the ratio: up to operator set 11 an attribute, then an input. */
static crd_status read_ratio(crd_context *ctx, const crd__graph *net, const crd__graph_node *node,
                             double *ratio) {
  const double attribute = (double)crd__graph_node_float(node, "ratio", 0.5F);
  return crd__graph_node_number_input(ctx, net, node, 1, attribute, ratio);
}

static crd__kernel_dropout draw_of(const crd__engine_step *step) {
  const dropping *const d = step->self;
  return (crd__kernel_dropout){ .seed = step->engine->seed,
                                .node = d->node,
                                .run = (uint32_t)step->engine->runs,
                                .ratio = d->ratio };
}

/* Memory: x and y, or dy and dx in the backward pass; then the mask, if it is an output. */
static crd_status run(crd_context *ctx, const crd__engine_step *step) {
  const dropping *const d = step->self;
  const crd__kernel_dropout draw = draw_of(step);
  (void)ctx;
  if (step->count > 2) crd__kernel_dropout_mask(step->threads, &draw, d->count, step->memory[2]);
  crd__kernel_dropout_run(step->threads, &draw, d->count, step->memory[0], step->memory[1]);
  return CRD_OK;
}

static crd_status read_dropping(crd_context *ctx, const crd__graph *net,
                                const crd__graph_node *node, dropping *d) {
  d->node = (uint32_t)(node - net->nodes);
  d->count = crd__engine_tensor_count(crd__graph_node_input(net, node, 0));
  return read_ratio(ctx, net, node, &d->ratio);
}

static crd_status dropout_plan(crd_context *ctx, crd__engine_plan *p, const crd__graph_node *node) {
  const crd__graph *const net = crd__graph_plan_net(p);
  dropping d;
  int places[3];
  CRD_TRY(read_dropping(ctx, net, node, &d));
  CRD_TRY(crd__engine_plan_plain(ctx, p, node->inputs[0], &places[0]));
  CRD_TRY(crd__engine_plan_output_over(ctx, p, node->outputs[0], places[0], node->inputs[0],
                                       &places[1]));
  const bool masked = crd__graph_node_output(net, node, 1);
  if (masked) CRD_TRY(crd__engine_plan_output(ctx, p, node->outputs[1], &places[2]));
  return crd__engine_plan_step(ctx, p, node, run, &d, sizeof d, masked ? 3 : 2, places);
}

static crd_status dropout_backward(crd_context *ctx, crd__graph_backward *back,
                                   const crd__graph_node *node) {
  dropping d;
  CRD_TRY(read_dropping(ctx, crd__graph_plan_net(crd__graph_backward_plan(back)), node, &d));
  return crd__graph_plain_back(
      ctx, back, node, 0,
      &(crd__graph_plain_step){ .run = run, .self = &d, .size = sizeof d, .over = true });
}

static crd_status dropout_infer_training(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  double ratio;
  CRD_TRY(read_ratio(ctx, net, node, &ratio));
  if (!(ratio >= 0 && ratio < 1))
    return crd__graph_node_fail(ctx, node, "its ratio is %g; it must be at least 0 and below 1",
                                ratio);
  CRD_TRY(crd__graph_node_needs(ctx, net, node, 0, CRD_F32));
  CRD_TRY(crd__graph_node_set(ctx, net, node, 1, CRD_BOOL, x->rank, x->dims));
  return crd__graph_node_set_like(ctx, net, node, 0, 0);
}

/* Replaces the operator of the node. */
static const crd__graph_op training = {
  .info = { "Dropout", "f32", 7, CRD__OPSET, 1, 0 },
  .inputs_least = 1,
  .inputs_most = 3,
  .outputs_least = 1,
  .outputs_most = 2,
  .infer = dropout_infer_training,
  .plan = dropout_plan,
  .backward = dropout_backward,
};

/* ---- In inference, and in training_mode by the file. */

static crd_status dropout_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  double ratio, exported;
  CRD_TRY(read_ratio(ctx, net, node, &ratio));
  CRD_TRY(crd__graph_node_number_input(ctx, net, node, 2, 0, &exported));
  if (net->mode == CRD_MODE_TRAINING && ratio != 0) {
    node->op = &training;
    return training.infer(ctx, net, node);
  }
  if (exported != 0 && ratio != 0)
    return crd__graph_node_fail(
        ctx, node,
        "the model was exported for training: export it again in evaluation "
        "mode");
  CRD_TRY(make_mask(ctx, net, node));
  return crd__graph_node_set_like(ctx, net, node, 0, 0);
}

static const crd__graph_op_attribute attributes[] = {
  { "ratio", CRD__ATTRIBUTE_FLOAT },
  { "seed", CRD__ATTRIBUTE_INT },
  { .name = NULL },
};

const crd__graph_op crd__graph_op_dropout = {
  .info = { "Dropout", "active in training, the identity in inference", 7, CRD__OPSET, 1, 0 },
  .inputs_least = 1,
  .inputs_most = 3,
  .outputs_least = 1,
  .outputs_most = 2,
  .attributes = attributes,
  .infer = dropout_infer,
  .view = true,
};

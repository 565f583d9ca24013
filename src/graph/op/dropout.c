/*
 * dropout.c -- Dropout. Outside of training: its input, and a mask that keeps all. In a network
 * that is compiled for training, whatever the file says of that: numbers dropped at random
 * (kernel/dropout.h), others in every run, the same on the way back.
 */
#include "engine/kernel/dropout.h"
#include "graph/op/plain.h"

#include <string.h>

/* Truth values from operator set 10 on, before numbers of the input's type. */
static crd_status make_mask(crd_context *ctx, crd__net *net, const crd__node *node) {
  const crd__tensor *const x = crd__node_input(net, node, 0);
  unsigned char *mask;
  if (!crd__node_output(net, node, 1)) return CRD_OK;
  if (node->opset < 10)
    return crd__node_fail(ctx, node, "its mask is supported from operator set 10 on");
  const size_t count = crd__tensor_count(x);
  CRD_TRY(crd__engine_memory(ctx, &net->engine, count ? count : 1, 1, &mask));
  memset(mask, 1, count);
  CRD_TRY(crd__node_set(ctx, net, node, 1, CRD_BOOL, x->rank, x->dims));
  net->engine.tensors[node->outputs[1]].constant = mask;
  return CRD_OK;
}

/* ---- In training. */

typedef struct {
  uint32_t node;
  double ratio;
  size_t count;
} dropping;

/* Up to operator set 11 an attribute, then an input. */
static crd_status read_ratio(crd_context *ctx, const crd__net *net, const crd__node *node,
                             double *ratio) {
  const double attribute = (double)crd__node_float(node, "ratio", 0.5F);
  return crd__node_number_input(ctx, net, node, 1, attribute, ratio);
}

static crd__dropout draw_of(const crd__step *step) {
  const dropping *const d = step->self;
  return (crd__dropout){ .seed = step->engine->seed,
                         .node = d->node,
                         .run = (uint32_t)step->engine->runs,
                         .ratio = d->ratio };
}

/* Forward from x to y, and back from dy to dx; with a third place, that is the mask. */
static crd_status run(crd_context *ctx, const crd__step *step) {
  const dropping *const d = step->self;
  const crd__dropout draw = draw_of(step);
  (void)ctx;
  if (step->count > 2) crd__dropout_mask(step->threads, &draw, d->count, step->memory[2]);
  crd__dropout_run(step->threads, &draw, d->count, step->memory[0], step->memory[1]);
  return CRD_OK;
}

static crd_status read_dropping(crd_context *ctx, const crd__net *net, const crd__node *node,
                                dropping *d) {
  d->node = (uint32_t)(node - net->nodes);
  d->count = crd__tensor_count(crd__node_input(net, node, 0));
  return read_ratio(ctx, net, node, &d->ratio);
}

static crd_status plan(crd_context *ctx, crd__plan *p, const crd__node *node) {
  const crd__net *const net = crd__plan_net(p);
  dropping d;
  int places[3];
  CRD_TRY(read_dropping(ctx, net, node, &d));
  CRD_TRY(crd__plan_plain(ctx, p, node->inputs[0], &places[0]));
  CRD_TRY(crd__plan_output_over(ctx, p, node->outputs[0], places[0], node->inputs[0], &places[1]));
  const bool masked = crd__node_output(net, node, 1);
  if (masked) CRD_TRY(crd__plan_output(ctx, p, node->outputs[1], &places[2]));
  return crd__plan_step(ctx, p, node, run, &d, sizeof d, masked ? 3 : 2, places);
}

static crd_status backward(crd_context *ctx, crd__back *back, const crd__node *node) {
  dropping d;
  CRD_TRY(read_dropping(ctx, crd__plan_net(crd__back_plan(back)), node, &d));
  return crd__plain_back(
      ctx, back, node, 0,
      &(crd__plain_step){ .run = run, .self = &d, .size = sizeof d, .over = true });
}

static crd_status infer_training(crd_context *ctx, crd__net *net, crd__node *node) {
  const crd__tensor *const x = crd__node_input(net, node, 0);
  double ratio;
  CRD_TRY(read_ratio(ctx, net, node, &ratio));
  if (!(ratio >= 0 && ratio < 1))
    return crd__node_fail(ctx, node, "its ratio is %g; 0 to below 1 is allowed", ratio);
  CRD_TRY(crd__node_needs(ctx, net, node, 0, CRD_F32));
  CRD_TRY(crd__node_set(ctx, net, node, 1, CRD_BOOL, x->rank, x->dims));
  return crd__node_set_like(ctx, net, node, 0, 0);
}

/* What the node becomes. */
static const crd__op training = {
  .info = { "Dropout", "f32", 7, 20, 1, 0 },
  .inputs_least = 1,
  .inputs_most = 3,
  .outputs_least = 1,
  .outputs_most = 2,
  .infer = infer_training,
  .plan = plan,
  .backward = backward,
};

/* ---- Outside of it, and as the file has it. */

static crd_status infer(crd_context *ctx, crd__net *net, crd__node *node) {
  double ratio, exported;
  CRD_TRY(read_ratio(ctx, net, node, &ratio));
  CRD_TRY(crd__node_number_input(ctx, net, node, 2, 0, &exported));
  if (net->mode == CRD_MODE_TRAINING && ratio != 0) {
    node->op = &training;
    return training.infer(ctx, net, node);
  }
  if (exported != 0 && ratio != 0)
    return crd__node_fail(ctx, node,
                          "the model was exported for training: export it again in evaluation "
                          "mode");
  CRD_TRY(make_mask(ctx, net, node));
  return crd__node_set_like(ctx, net, node, 0, 0);
}

static const crd__op_attribute attributes[] = {
  { "ratio", CRD__ATTRIBUTE_FLOAT },
  { "seed", CRD__ATTRIBUTE_INT },
  { .name = NULL },
};

const crd__op crd__op_dropout = {
  .info = { "Dropout", "in training; else it does nothing", 7, 20, 1, 0 },
  .inputs_least = 1,
  .inputs_most = 3,
  .outputs_least = 1,
  .outputs_most = 2,
  .attributes = attributes,
  .infer = infer,
  .view = true,
};

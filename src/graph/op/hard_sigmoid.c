/* hard_sigmoid.c -- HardSigmoid: max(0, min(1, alpha x + beta)). */
#include "graph/op/map.h"

static crd_status hard_sigmoid_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  return crd__graph_unary_infer(ctx, net, node, CRD__UNARY_HARD_SIGMOID);
}

static crd_status hard_sigmoid_plan(crd_context *ctx, crd__engine_plan *p,
                                    const crd__graph_node *node) {
  return crd__graph_unary_plan(ctx, p, node, CRD__UNARY_HARD_SIGMOID,
                               (double)crd__graph_node_float(node, "alpha", 0.2F),
                               (double)crd__graph_node_float(node, "beta", 0.5F));
}

static crd_status hard_sigmoid_backward(crd_context *ctx, crd__graph_backward *back,
                                        const crd__graph_node *node) {
  return crd__graph_unary_backward(ctx, back, node, CRD__UNARY_HARD_SIGMOID,
                                   (double)crd__graph_node_float(node, "alpha", 0.2F),
                                   (double)crd__graph_node_float(node, "beta", 0.5F), true);
}

static const crd__graph_op_attribute attributes[] = {
  { "alpha", CRD__ATTRIBUTE_FLOAT },
  { "beta", CRD__ATTRIBUTE_FLOAT },
  { .name = NULL },
};

const crd__graph_op crd__graph_op_hard_sigmoid = {
  .info = { "HardSigmoid", "f16, f32, f64", 6, 20, 1, 0 },
  .inputs_least = 1,
  .inputs_most = 1,
  .outputs_least = 1,
  .outputs_most = 1,
  .attributes = attributes,
  .infer = hard_sigmoid_infer,
  .plan = hard_sigmoid_plan,
  .backward = hard_sigmoid_backward,
  .keep = CRD__KEEP_Y,
};

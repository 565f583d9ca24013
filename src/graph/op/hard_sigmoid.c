/* hard_sigmoid.c -- HardSigmoid: max(0, min(1, alpha x + beta)). */
#include "graph/op/map.h"

static crd_status infer(crd_context *ctx, crd__net *net, crd__node *node) {
  return crd__map_infer(ctx, net, node, CRD__UNARY_HARD_SIGMOID);
}

static crd_status plan(crd_context *ctx, crd__plan *p, const crd__node *node) {
  return crd__map_plan(ctx, p, node, CRD__UNARY_HARD_SIGMOID,
                       (double)crd__node_float(node, "alpha", 0.2F),
                       (double)crd__node_float(node, "beta", 0.5F));
}

static crd_status backward(crd_context *ctx, crd__back *back, const crd__node *node) {
  return crd__map_backward(ctx, back, node, CRD__UNARY_HARD_SIGMOID,
                           (double)crd__node_float(node, "alpha", 0.2F),
                           (double)crd__node_float(node, "beta", 0.5F), true);
}

static const crd__op_attribute attributes[] = {
  { "alpha", CRD__ATTRIBUTE_FLOAT },
  { "beta", CRD__ATTRIBUTE_FLOAT },
  { .name = NULL },
};

const crd__op crd__op_hard_sigmoid = {
  .info = { "HardSigmoid", "f16, f32, f64", 6, 20, 1, 0 },
  .inputs_least = 1,
  .inputs_most = 1,
  .outputs_least = 1,
  .outputs_most = 1,
  .attributes = attributes,
  .infer = infer,
  .plan = plan,
  .backward = backward,
  .keep = CRD__KEEP_Y,
};

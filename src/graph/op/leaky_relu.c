/* leaky_relu.c -- LeakyRelu: x if x >= 0, alpha * x otherwise. */
#include "graph/op/curve.h"

static crd_status leaky_relu_curve(crd_context *ctx, const crd__graph *net,
                                   const crd__graph_node *node, crd__engine_post_op *out) {
  (void)ctx, (void)net;
  *out = (crd__engine_post_op){ .curve = CRD__ELTWISE_RELU,
                                .alpha = crd__graph_node_float(node, "alpha", .01F) };
  return CRD_OK;
}

static const crd__graph_op_attribute attributes[] = {
  { "alpha", CRD__ATTRIBUTE_FLOAT },
  { .name = NULL },
};

const crd__graph_op crd__graph_op_leaky_relu = {
  .info = { "LeakyRelu", "f16, f32, f64", 6, 20, 1, 0 },
  .inputs_least = 1,
  .inputs_most = 1,
  .outputs_least = 1,
  .outputs_most = 1,
  .attributes = attributes,
  .infer = crd__graph_eltwise_infer,
  .plan = crd__graph_eltwise_plan,
  .curve = leaky_relu_curve,
  .backward = crd__graph_eltwise_backward,
  .keep = CRD__KEEP_X | CRD__KEEP_Y,
};

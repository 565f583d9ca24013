/* leaky_relu.c -- LeakyRelu: x above 0, alpha * x below. */
#include "graph/op/curve.h"

static crd_status curve(crd_context *ctx, const crd__net *net, const crd__node *node,
                        crd__after *out) {
  (void)ctx, (void)net;
  *out = (crd__after){ .curve = CRD__CURVE_RELU, .alpha = crd__node_float(node, "alpha", .01F) };
  return CRD_OK;
}

static const crd__op_attribute attributes[] = {
  { "alpha", CRD__ATTRIBUTE_FLOAT },
  { .name = NULL },
};

const crd__op crd__op_leaky_relu = {
  .info = { "LeakyRelu", "f16, f32, f64", 6, 20, 1, 0 },
  .inputs_least = 1,
  .inputs_most = 1,
  .outputs_least = 1,
  .outputs_most = 1,
  .attributes = attributes,
  .infer = crd__curve_infer,
  .plan = crd__curve_plan,
  .curve = curve,
  .backward = crd__curve_backward,
  .keep = CRD__KEEP_X | CRD__KEEP_Y,
};

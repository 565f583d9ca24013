/*
 * log.c -- Log: the natural logarithm; NaN for negative x. By our own kernel: oneDNN 2.6 has errors
 * of 1e-6 near 1, where the logarithm is near 0.
 */
#include "graph/op/map.h"

static crd_status log_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  return crd__graph_unary_infer(ctx, net, node, CRD__UNARY_LOG);
}

static crd_status log_plan(crd_context *ctx, crd__engine_plan *p, const crd__graph_node *node) {
  return crd__graph_unary_plan(ctx, p, node, CRD__UNARY_LOG, 0, 0);
}

static crd_status log_backward(crd_context *ctx, crd__graph_backward *back,
                               const crd__graph_node *node) {
  return crd__graph_unary_backward(ctx, back, node, CRD__UNARY_LOG, 0, 0, false);
}

const crd__graph_op crd__graph_op_log = {
  .info = { "Log", "f16, f32, f64", 6, 20, 1, 0 },
  .inputs_least = 1,
  .inputs_most = 1,
  .outputs_least = 1,
  .outputs_most = 1,
  .infer = log_infer,
  .plan = log_plan,
  .backward = log_backward,
  .keep = CRD__KEEP_X,
};

/* erf.c -- Erf: the error function. */
#include "graph/op/map.h"

static crd_status erf_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  return crd__graph_unary_infer(ctx, net, node, CRD__UNARY_ERF);
}

static crd_status erf_plan(crd_context *ctx, crd__engine_plan *p, const crd__graph_node *node) {
  return crd__graph_unary_plan(ctx, p, node, CRD__UNARY_ERF, 0, 0);
}

static crd_status erf_backward(crd_context *ctx, crd__graph_backward *back,
                               const crd__graph_node *node) {
  return crd__graph_unary_backward(ctx, back, node, CRD__UNARY_ERF, 0, 0, false);
}

const crd__graph_op crd__graph_op_erf = {
  .info = { "Erf", "f16, f32, f64", 9, 20, 1, 0 },
  .inputs_least = 1,
  .inputs_most = 1,
  .outputs_least = 1,
  .outputs_most = 1,
  .infer = erf_infer,
  .plan = erf_plan,
  .backward = erf_backward,
  .keep = CRD__KEEP_X,
};

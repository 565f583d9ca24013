/* erf.c -- Erf: the error function. */
#include "graph/op/map.h"

static crd_status infer(crd_context *ctx, crd__net *net, crd__node *node) {
  return crd__map_infer(ctx, net, node, CRD__UNARY_ERF);
}

static crd_status plan(crd_context *ctx, crd__plan *p, const crd__node *node) {
  return crd__map_plan(ctx, p, node, CRD__UNARY_ERF, 0, 0);
}

static crd_status backward(crd_context *ctx, crd__back *back, const crd__node *node) {
  return crd__map_backward(ctx, back, node, CRD__UNARY_ERF, 0, 0, false);
}

const crd__op crd__op_erf = {
  .info = { "Erf", "f16, f32, f64", 9, 20, 1, 0 },
  .inputs_least = 1,
  .inputs_most = 1,
  .outputs_least = 1,
  .outputs_most = 1,
  .infer = infer,
  .plan = plan,
  .backward = backward,
  .keep = CRD__KEEP_X,
};

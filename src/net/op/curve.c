/* curve.c -- operators that do the same to each number (curve.h). */
#include "net/op/curve.h"

crd_status crd__curve_infer(crd_context *ctx, crd__net *net, crd__node *node) {
  CRD_TRY(crd__node_needs(ctx, net, node, 0, CRD_F32));
  return crd__node_set_like(ctx, net, node, 0, 0);
}

crd_status crd__curve_plan(crd_context *ctx, crd__plan *plan, const crd__node *node) {
  const crd__net *const net = crd__plan_net(plan);
  crd__after curve;
  crd__plan_argument arguments[] = { { CRD__ARG_SRC, 0 }, { CRD__ARG_DST, 0 } };
  crd__form form;
  crd__primitive primitive;
  if (!crd__curve_of(net, node, &curve))
    return crd__node_fail(ctx, node, "it cannot be computed for these numbers");
  CRD_TRY(crd__plan_find(ctx, plan, node->inputs[0], &arguments[0].place));
  CRD_TRY(crd__plan_form(ctx, plan, arguments[0].place, &form));
  CRD_TRY(crd__dnn_curve(ctx, net->dnn, &curve, form, &primitive));
  CRD_TRY(crd__plan_output_over(ctx, plan, node->outputs[0], arguments[0].place, node->inputs[0],
                                &arguments[1].place));
  return crd__plan_primitive(ctx, plan, node, &primitive, 2, arguments);
}

bool crd__curve_of(const crd__net *net, const crd__node *node, crd__after *out) {
  return node->op->curve && crd__node_input(net, node, 0)->dtype == CRD_F32 &&
         node->op->curve(net, node, out);
}

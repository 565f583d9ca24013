/*
 * curve.c -- operators that do the same to each number (curve.h): f32 by oneDNN, other types by a
 * kernel of our own.
 */
#include "graph/op/curve.h"
#include "graph/op/map.h"

static crd__unary_id own(const crd__after *curve) {
  static const crd__unary_id ids[CRD__CURVES] = {
    [CRD__CURVE_RELU] = CRD__UNARY_RELU,
    [CRD__CURVE_TANH] = CRD__UNARY_TANH,
    [CRD__CURVE_LOGISTIC] = CRD__UNARY_SIGMOID,
    [CRD__CURVE_EXP] = CRD__UNARY_EXP,
    [CRD__CURVE_SQRT] = CRD__UNARY_SQRT,
    [CRD__CURVE_CLIP] = CRD__UNARY_CLIP,
    [CRD__CURVE_GELU_ERF] = CRD__UNARY_GELU,
    [CRD__CURVE_GELU_TANH] = CRD__UNARY_GELU_TANH,
    [CRD__CURVE_HARD_SWISH] = CRD__UNARY_HARD_SWISH,
    [CRD__CURVE_LINEAR] = CRD__UNARY_NEG, /* the only line among the operators */
  };
  return curve->curve == CRD__CURVE_RELU && curve->alpha != 0 ? CRD__UNARY_LEAKY_RELU
                                                              : ids[curve->curve];
}

crd_status crd__curve_infer(crd_context *ctx, crd__net *net, crd__node *node) {
  crd__after curve;
  CRD_TRY(node->op->curve(ctx, net, node, &curve));
  return crd__map_infer(ctx, net, node, own(&curve));
}

static crd_status plan_dnn(crd_context *ctx, crd__plan *plan, const crd__node *node,
                           const crd__after *curve) {
  crd__plan_argument arguments[] = { { CRD__ARG_SRC, 0 }, { CRD__ARG_DST, 0 } };
  crd__form form;
  crd__primitive primitive;
  CRD_TRY(crd__plan_find(ctx, plan, node->inputs[0], &arguments[0].place));
  CRD_TRY(crd__plan_form(ctx, plan, arguments[0].place, &form));
  CRD_TRY(crd__dnn_curve(ctx, crd__plan_net(plan)->engine.dnn, curve, form, &primitive));
  CRD_TRY(crd__plan_output_over(ctx, plan, node->outputs[0], arguments[0].place, node->inputs[0],
                                &arguments[1].place));
  return crd__plan_primitive(ctx, plan, node, &primitive, 2, arguments);
}

crd_status crd__curve_plan(crd_context *ctx, crd__plan *plan, const crd__node *node) {
  const crd__net *const net = crd__plan_net(plan);
  crd__after curve;
  CRD_TRY(node->op->curve(ctx, net, node, &curve));
  if (crd__node_input(net, node, 0)->dtype == CRD_F32) return plan_dnn(ctx, plan, node, &curve);
  return crd__map_plan(ctx, plan, node, own(&curve), (double)curve.alpha, (double)curve.beta);
}

bool crd__curve_of(crd_context *ctx, const crd__net *net, const crd__node *node, crd__after *out) {
  return node->op->curve && crd__node_input(net, node, 0)->dtype == CRD_F32 &&
         node->op->curve(ctx, net, node, out) == CRD_OK;
}

crd_status crd__curve_undo(crd_context *ctx, crd__plan *plan, const crd__node *node,
                           const crd__after *curve, int data, int gradient, int out) {
  const bool result = crd__curve_from_result(curve);
  crd__plan_argument arguments[] = { { result ? CRD__ARG_DST : CRD__ARG_SRC, 0 },
                                     { CRD__ARG_DIFF_DST, 0 },
                                     { CRD__ARG_DIFF_SRC, 0 } };
  crd__form form;
  crd__primitive primitive;
  CRD_TRY(crd__plan_find(ctx, plan, data, &arguments[0].place));
  CRD_TRY(crd__plan_form(ctx, plan, arguments[0].place, &form));
  CRD_TRY(crd__plan_as(ctx, plan, gradient, form, &arguments[1].place));
  CRD_TRY(crd__dnn_curve_back(ctx, crd__plan_net(plan)->engine.dnn, curve, form, form, &primitive));
  CRD_TRY(crd__plan_output_over(ctx, plan, out, arguments[1].place, gradient, &arguments[2].place));
  return crd__plan_primitive(ctx, plan, node, &primitive, 3, arguments);
}

crd_status crd__curve_backward(crd_context *ctx, crd__back *back, const crd__node *node) {
  crd__plan *const plan = crd__back_plan(back);
  crd__after curve;
  int slope;
  CRD_TRY(node->op->curve(ctx, crd__plan_net(plan), node, &curve));
  const int data = crd__curve_from_result(&curve) ? node->outputs[0] : node->inputs[0];
  CRD_TRY(crd__back_tensor(ctx, back, node, 0, &slope));
  CRD_TRY(crd__curve_undo(ctx, plan, node, &curve, data, crd__back_incoming(back, node, 0), slope));
  return crd__back_give(ctx, back, node, 0, slope);
}

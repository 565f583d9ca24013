/*
 * curve.c -- unary elementwise operators (curve.h): float32 by oneDNN, other types by our own
 * kernel.
 */
#include "graph/op/curve.h"
#include "graph/op/map.h"

static crd__kernel_unary_id own(const crd__engine_post_op *curve) {
  static const crd__kernel_unary_id ids[CRD__ELTWISES] = {
    [CRD__ELTWISE_RELU] = CRD__UNARY_RELU,
    [CRD__ELTWISE_TANH] = CRD__UNARY_TANH,
    [CRD__ELTWISE_LOGISTIC] = CRD__UNARY_SIGMOID,
    [CRD__ELTWISE_EXP] = CRD__UNARY_EXP,
    [CRD__ELTWISE_SQRT] = CRD__UNARY_SQRT,
    [CRD__ELTWISE_CLIP] = CRD__UNARY_CLIP,
    [CRD__ELTWISE_GELU_ERF] = CRD__UNARY_GELU,
    [CRD__ELTWISE_GELU_TANH] = CRD__UNARY_GELU_TANH,
    [CRD__ELTWISE_HARD_SWISH] = CRD__UNARY_HARD_SWISH,
    [CRD__ELTWISE_LINEAR] = CRD__UNARY_NEG, /* the only linear function among the operators */
  };
  return curve->curve == CRD__ELTWISE_RELU && curve->alpha != 0 ? CRD__UNARY_LEAKY_RELU
                                                                : ids[curve->curve];
}

crd_status crd__graph_eltwise_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  crd__engine_post_op curve;
  CRD_TRY(node->op->curve(ctx, net, node, &curve));
  return crd__graph_unary_infer(ctx, net, node, own(&curve));
}

static crd_status plan_dnn(crd_context *ctx, crd__engine_plan *plan, const crd__graph_node *node,
                           const crd__engine_post_op *curve) {
  crd__engine_plan_argument arguments[] = { { CRD__ARG_SRC, 0 }, { CRD__ARG_DST, 0 } };
  crd__engine_layout layout;
  crd__engine_primitive primitive;
  CRD_TRY(crd__engine_plan_find(ctx, plan, node->inputs[0], &arguments[0].place));
  CRD_TRY(crd__engine_plan_layout(ctx, plan, arguments[0].place, &layout));
  CRD_TRY(crd__engine_dnn_eltwise(ctx, crd__graph_plan_net(plan)->engine.dnn, curve, layout,
                                  &primitive));
  CRD_TRY(crd__engine_plan_output_over(ctx, plan, node->outputs[0], arguments[0].place,
                                       node->inputs[0], &arguments[1].place));
  return crd__engine_plan_primitive(ctx, plan, node, &primitive, 2, arguments);
}

crd_status crd__graph_eltwise_plan(crd_context *ctx, crd__engine_plan *plan,
                                   const crd__graph_node *node) {
  const crd__graph *const net = crd__graph_plan_net(plan);
  crd__engine_post_op curve;
  CRD_TRY(node->op->curve(ctx, net, node, &curve));
  if (crd__graph_node_input(net, node, 0)->dtype == CRD_F32)
    return plan_dnn(ctx, plan, node, &curve);
  return crd__graph_unary_plan(ctx, plan, node, own(&curve), (double)curve.alpha,
                               (double)curve.beta);
}

bool crd__graph_eltwise_of(crd_context *ctx, const crd__graph *net, const crd__graph_node *node,
                           crd__engine_post_op *out) {
  return node->op->curve && crd__graph_node_input(net, node, 0)->dtype == CRD_F32 &&
         node->op->curve(ctx, net, node, out) == CRD_OK;
}

crd_status crd__graph_eltwise_undo(crd_context *ctx, crd__engine_plan *plan,
                                   const crd__graph_node *node, const crd__engine_post_op *curve,
                                   int data, int gradient, int out) {
  const bool result = crd__engine_eltwise_from_result(curve);
  crd__engine_plan_argument arguments[] = { { result ? CRD__ARG_DST : CRD__ARG_SRC, 0 },
                                            { CRD__ARG_DIFF_DST, 0 },
                                            { CRD__ARG_DIFF_SRC, 0 } };
  crd__engine_layout layout;
  crd__engine_primitive primitive;
  CRD_TRY(crd__engine_plan_find(ctx, plan, data, &arguments[0].place));
  CRD_TRY(crd__engine_plan_layout(ctx, plan, arguments[0].place, &layout));
  CRD_TRY(crd__engine_plan_as(ctx, plan, gradient, layout, &arguments[1].place));
  CRD_TRY(crd__engine_dnn_eltwise_back(ctx, crd__graph_plan_net(plan)->engine.dnn, curve, layout,
                                       layout, &primitive));
  CRD_TRY(crd__engine_plan_output_over(ctx, plan, out, arguments[1].place, gradient,
                                       &arguments[2].place));
  return crd__engine_plan_primitive(ctx, plan, node, &primitive, 3, arguments);
}

crd_status crd__graph_eltwise_backward(crd_context *ctx, crd__graph_backward *back,
                                       const crd__graph_node *node) {
  crd__engine_plan *const plan = crd__graph_backward_plan(back);
  crd__engine_post_op curve;
  int slope;
  CRD_TRY(node->op->curve(ctx, crd__graph_plan_net(plan), node, &curve));
  const int data = crd__engine_eltwise_from_result(&curve) ? node->outputs[0] : node->inputs[0];
  CRD_TRY(crd__graph_backward_tensor(ctx, back, node, 0, &slope));
  CRD_TRY(crd__graph_eltwise_undo(ctx, plan, node, &curve, data,
                                  crd__graph_backward_incoming(back, node, 0), slope));
  return crd__graph_backward_give(ctx, back, node, 0, slope);
}

/*
 * clip.c -- Clip: to min .. max. Up to operator set 10 these are attributes, then inputs, which
 * must be constants; a bound that is left out does not apply. If min > max, the result is max.
 */
#include "graph/op/curve.h"
#include "graph/op/map.h"

#include <float.h>
#include <math.h>

static crd_status read_bounds(crd_context *ctx, const crd__graph *net, const crd__graph_node *node,
                              double *least, double *most) {
  *least = (double)crd__graph_node_float(node, "min", -FLT_MAX);
  *most = (double)crd__graph_node_float(node, "max", FLT_MAX);
  if (node->opset >= 11) {
    CRD_TRY(crd__graph_node_number_input(ctx, net, node, 1, -INFINITY, least));
    CRD_TRY(crd__graph_node_number_input(ctx, net, node, 2, INFINITY, most));
  }
  if (isnan(*least) || isnan(*most))
    return crd__graph_node_fail(ctx, node, "its %s is NaN", isnan(*least) ? "least" : "most");
  if (*least > *most) *least = *most;
  return CRD_OK;
}

static crd_status clip_curve(crd_context *ctx, const crd__graph *net, const crd__graph_node *node,
                             crd__engine_post_op *out) {
  double least, most;
  CRD_TRY(read_bounds(ctx, net, node, &least, &most));
  *out = (crd__engine_post_op){ .curve = CRD__ELTWISE_CLIP,
                                .alpha = (float)least,
                                .beta = (float)most };
  return CRD_OK;
}

/* Bounds of other types may be values that float32 does not have. */
static crd_status clip_plan(crd_context *ctx, crd__engine_plan *p, const crd__graph_node *node) {
  const crd__graph *const net = crd__graph_plan_net(p);
  double least, most;
  if (crd__graph_node_input(net, node, 0)->dtype == CRD_F32)
    return crd__graph_eltwise_plan(ctx, p, node);
  CRD_TRY(read_bounds(ctx, net, node, &least, &most));
  return crd__graph_unary_plan(ctx, p, node, CRD__UNARY_CLIP, least, most);
}

static const crd__graph_op_attribute attributes[] = {
  { "max", CRD__ATTRIBUTE_FLOAT },
  { "min", CRD__ATTRIBUTE_FLOAT },
  { .name = NULL },
};

const crd__graph_op crd__graph_op_clip = {
  .info = { "Clip", "any numeric type; bounds must not depend on data", 6, 20, 1, 0 },
  .inputs_least = 1,
  .inputs_most = 3,
  .outputs_least = 1,
  .outputs_most = 1,
  .attributes = attributes,
  .infer = crd__graph_eltwise_infer,
  .plan = clip_plan,
  .curve = clip_curve,
  .backward = crd__graph_eltwise_backward,
  .keep = CRD__KEEP_Y,
};

/* gelu.c -- Gelu: x times the share of a normal distribution below x, or what tanh makes of it. */
#include "graph/op/curve.h"

static crd_status curve(crd_context *ctx, const crd__net *net, const crd__node *node,
                        crd__after *out) {
  (void)net;
  const bool tanh = crd__node_word_is(node, "approximate", "tanh", "none");
  if (!tanh && !crd__node_word_is(node, "approximate", "none", "none"))
    return crd__node_fail(ctx, node, "its 'approximate' is neither 'none' nor 'tanh'");
  *out = (crd__after){ .curve = tanh ? CRD__CURVE_GELU_TANH : CRD__CURVE_GELU_ERF };
  return CRD_OK;
}

static const crd__op_attribute attributes[] = {
  { "approximate", CRD__ATTRIBUTE_STRING },
  { .name = NULL },
};

const crd__op crd__op_gelu = {
  .info = { "Gelu", "exact or by tanh; f16, f32, f64", 20, 20, 1, 0 },
  .inputs_least = 1,
  .inputs_most = 1,
  .outputs_least = 1,
  .outputs_most = 1,
  .attributes = attributes,
  .infer = crd__curve_infer,
  .plan = crd__curve_plan,
  .curve = curve,
  .backward = crd__curve_backward,
  .keep = CRD__KEEP_X,
};

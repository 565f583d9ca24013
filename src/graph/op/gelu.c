/* gelu.c -- Gelu: x Phi(x), with the normal distribution function Phi or its approximation by
 * tanh. */
#include "graph/op/curve.h"

static crd_status gelu_curve(crd_context *ctx, const crd__graph *net, const crd__graph_node *node,
                             crd__engine_post_op *out) {
  (void)net;
  const bool tanh = crd__graph_node_word_is(node, "approximate", "tanh", "none");
  if (!tanh && !crd__graph_node_word_is(node, "approximate", "none", "none"))
    return crd__graph_node_fail(ctx, node, "its 'approximate' is neither 'none' nor 'tanh'");
  *out = (crd__engine_post_op){ .curve = tanh ? CRD__ELTWISE_GELU_TANH : CRD__ELTWISE_GELU_ERF };
  return CRD_OK;
}

static const crd__graph_op_attribute attributes[] = {
  { "approximate", CRD__ATTRIBUTE_STRING },
  { .name = NULL },
};

const crd__graph_op crd__graph_op_gelu = {
  .info = { "Gelu", "exact or approximated by tanh; f16, f32, f64", 20, 20, 1, 0 },
  .inputs_least = 1,
  .inputs_most = 1,
  .outputs_least = 1,
  .outputs_most = 1,
  .attributes = attributes,
  .infer = crd__graph_eltwise_infer,
  .plan = crd__graph_eltwise_plan,
  .curve = gelu_curve,
  .backward = crd__graph_eltwise_backward,
  .keep = CRD__KEEP_X,
};

/* gelu.c -- Gelu: x times the share of a normal distribution below x, or what tanh makes of it. */
#include "net/op/map.h"

static crd__unary_id kind(const crd__node *node) {
  return crd__node_word_is(node, "approximate", "tanh", "none") ? CRD__UNARY_GELU_TANH
                                                                : CRD__UNARY_GELU;
}

static crd_status infer(crd_context *ctx, crd__net *net, crd__node *node) {
  if (kind(node) == CRD__UNARY_GELU && !crd__node_word_is(node, "approximate", "none", "none"))
    return crd__node_fail(ctx, node, "its 'approximate' is neither 'none' nor 'tanh'");
  return crd__map_infer(ctx, net, node, kind(node));
}

static crd_status plan(crd_context *ctx, crd__plan *p, const crd__node *node) {
  return crd__map_plan(ctx, p, node, kind(node), 0, 0);
}

static const crd__op_attribute attributes[] = {
  { "approximate", CRD__ATTRIBUTE_STRING },
  { .name = NULL },
};

const crd__op crd__op_gelu = {
  .info = { "Gelu", "f16, f32, f64; exact or by tanh", 20, 20 },
  .inputs_least = 1,
  .inputs_most = 1,
  .outputs_least = 1,
  .outputs_most = 1,
  .attributes = attributes,
  .infer = infer,
  .plan = plan,
};

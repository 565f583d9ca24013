/* hard_swish.c -- HardSwish: x max(0, min(1, x / 6 + 1 / 2)). */
#include "net/op/map.h"

static crd_status infer(crd_context *ctx, crd__net *net, crd__node *node) {
  return crd__map_infer(ctx, net, node, CRD__UNARY_HARD_SWISH);
}

static crd_status plan(crd_context *ctx, crd__plan *p, const crd__node *node) {
  return crd__map_plan(ctx, p, node, CRD__UNARY_HARD_SWISH, 0, 0);
}

const crd__op crd__op_hard_swish = {
  .info = { "HardSwish", "f16, f32, f64", 14, 20 },
  .inputs_least = 1,
  .inputs_most = 1,
  .outputs_least = 1,
  .outputs_most = 1,
  .infer = infer,
  .plan = plan,
};

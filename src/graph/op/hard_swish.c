/* hard_swish.c -- HardSwish: x max(0, min(1, x / 6 + 1 / 2)). */
#include "graph/op/curve.h"

static crd_status hard_swish_curve(crd_context *ctx, const crd__graph *net,
                                   const crd__graph_node *node, crd__engine_post_op *out) {
  (void)ctx, (void)net, (void)node;
  *out = (crd__engine_post_op){ .curve = CRD__ELTWISE_HARD_SWISH, .alpha = 1.F / 6, .beta = .5F };
  return CRD_OK;
}

const crd__graph_op crd__graph_op_hard_swish = {
  .info = { "HardSwish", "f16, f32, f64", 14, 20, 1, 0 },
  .inputs_least = 1,
  .inputs_most = 1,
  .outputs_least = 1,
  .outputs_most = 1,
  .infer = crd__graph_eltwise_infer,
  .plan = crd__graph_eltwise_plan,
  .curve = hard_swish_curve,
  .backward = crd__graph_eltwise_backward,
  .keep = CRD__KEEP_X,
};

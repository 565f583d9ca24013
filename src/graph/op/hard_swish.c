/* hard_swish.c -- HardSwish: x max(0, min(1, x / 6 + 1 / 2)). */
#include "graph/op/curve.h"

static crd_status curve(crd_context *ctx, const crd__net *net, const crd__node *node,
                        crd__after *out) {
  (void)ctx, (void)net, (void)node;
  *out = (crd__after){ .curve = CRD__CURVE_HARD_SWISH, .alpha = 1.F / 6, .beta = .5F };
  return CRD_OK;
}

const crd__op crd__op_hard_swish = {
  .info = { "HardSwish", "f16, f32, f64", 14, 20, 1, 0 },
  .inputs_least = 1,
  .inputs_most = 1,
  .outputs_least = 1,
  .outputs_most = 1,
  .infer = crd__curve_infer,
  .plan = crd__curve_plan,
  .curve = curve,
  .backward = crd__curve_backward,
  .keep = CRD__KEEP_X,
};

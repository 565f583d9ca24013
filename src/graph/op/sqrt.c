/* sqrt.c -- Sqrt: NaN for negative x. */
#include "graph/op/curve.h"

static crd_status sqrt_curve(crd_context *ctx, const crd__graph *net, const crd__graph_node *node,
                             crd__engine_post_op *out) {
  (void)ctx, (void)net, (void)node;
  *out = (crd__engine_post_op){ .curve = CRD__ELTWISE_SQRT };
  return CRD_OK;
}

const crd__graph_op crd__graph_op_sqrt = {
  .info = { "Sqrt", "f16, f32, f64", 6, 20, 1, 0 },
  .inputs_least = 1,
  .inputs_most = 1,
  .outputs_least = 1,
  .outputs_most = 1,
  .infer = crd__graph_eltwise_infer,
  .plan = crd__graph_eltwise_plan,
  .curve = sqrt_curve,
  .backward = crd__graph_eltwise_backward,
  .keep = CRD__KEEP_Y,
};

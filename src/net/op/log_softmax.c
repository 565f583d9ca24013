/* log_softmax.c -- LogSoftmax: x - log of the sum of exp along an axis. */
#include "net/op/soft.h"

static crd_status plan(crd_context *ctx, crd__plan *p, const crd__node *node) {
  return crd__soft_plan(ctx, p, node, true);
}

static crd_status backward(crd_context *ctx, crd__back *back, const crd__node *node) {
  return crd__soft_backward(ctx, back, node, true);
}

const crd__op crd__op_log_softmax = {
  .info = { "LogSoftmax", "f16, f32, f64", 1, 20, 1, 0 },
  .inputs_least = 1,
  .inputs_most = 1,
  .outputs_least = 1,
  .outputs_most = 1,
  .attributes = crd__soft_attributes,
  .infer = crd__soft_infer,
  .plan = plan,
  .backward = backward,
  .keep = CRD__KEEP_Y,
};

/* reduce_max.c -- ReduceMax: the largest over any of the dimensions. */
#include "net/op/reduction.h"

enum { LAST = 17 }; /* operator set in which the axes are an attribute */

static crd_status infer(crd_context *ctx, crd__net *net, crd__node *node) {
  return crd__reduction_infer(ctx, net, node, LAST);
}

static crd_status plan(crd_context *ctx, crd__plan *p, const crd__node *node) {
  return crd__reduction_plan(ctx, p, node, LAST, CRD__MAX);
}

static crd_status backward(crd_context *ctx, crd__back *back, const crd__node *node) {
  return crd__reduction_backward(ctx, back, node, LAST, CRD__MAX);
}

const crd__op crd__op_reduce_max = {
  .info = { "ReduceMax", "any numbers", 1, 20, 1, 0 },
  .inputs_least = 1,
  .inputs_most = 2,
  .outputs_least = 1,
  .outputs_most = 1,
  .attributes = crd__reduction_attributes,
  .infer = infer,
  .plan = plan,
  .flops = crd__reduction_flops,
  .backward = backward,
  .keep = CRD__KEEP_X | CRD__KEEP_Y,
};

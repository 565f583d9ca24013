/* global_average_pool.c -- GlobalAveragePool: the mean over all of space. */
#include "net/op/pool.h"

static crd_status infer(crd_context *ctx, crd__net *net, crd__node *node) {
  CRD_TRY(crd__pool_needs_reals(ctx, net, node));
  return crd__pool_global_infer(ctx, net, node);
}

static crd__pooling whole(const crd__plan *p, const crd__node *node) {
  const crd__tensor *const x = crd__node_input(crd__plan_net(p), node, 0);
  return (crd__pooling){ .mean = true, .window = crd__window_whole(x) };
}

static crd_status plan(crd_context *ctx, crd__plan *p, const crd__node *node) {
  const crd__pooling pooling = whole(p, node);
  return crd__pool_plan(ctx, p, node, &pooling);
}

static crd_status backward(crd_context *ctx, crd__back *back, const crd__node *node) {
  const crd__pooling pooling = whole(crd__back_plan(back), node);
  return crd__pool_backward(ctx, back, node, &pooling);
}

const crd__op crd__op_global_average_pool = {
  .info = { "GlobalAveragePool", "f16, f32, f64", 1, 20, 1, 0 },
  .inputs_least = 1,
  .inputs_most = 1,
  .outputs_least = 1,
  .outputs_most = 1,
  .infer = infer,
  .plan = plan,
  .backward = backward,
  .flops = crd__pool_flops,
};

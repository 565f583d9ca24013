/* average_pool.c -- AveragePool: the mean of what a window shows, with or without the padding. */
#include "net/op/pool.h"

static crd_status infer(crd_context *ctx, crd__net *net, crd__node *node) {
  CRD_TRY(crd__pool_needs_reals(ctx, net, node));
  return crd__pool_infer(ctx, net, node);
}

static crd_status plan(crd_context *ctx, crd__plan *p, const crd__node *node) {
  const crd__tensor *const x = crd__node_input(crd__plan_net(p), node, 0);
  crd__pooling pooling = { .mean = true,
                           .count_padding = crd__node_int(node, "count_include_pad", 0) };
  int64_t positions[CRD_RANK_MAX];
  CRD_TRY(crd__window_read(ctx, node, x, NULL, &pooling.window, positions));
  return crd__pool_plan(ctx, p, node, &pooling);
}

static const crd__op_attribute attributes[] = {
  CRD__WINDOW_ATTRIBUTES,
  { "ceil_mode", CRD__ATTRIBUTE_INT },
  { "count_include_pad", CRD__ATTRIBUTE_INT },
  { .name = NULL },
};

const crd__op crd__op_average_pool = {
  .info = { "AveragePool", "1 to 3 spatial dimensions, ceil_mode, auto_pad", 1, 20 },
  .inputs_least = 1,
  .inputs_most = 1,
  .outputs_least = 1,
  .outputs_most = 1,
  .attributes = attributes,
  .infer = infer,
  .plan = plan,
  .flops = crd__pool_flops,
};

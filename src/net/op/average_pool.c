/* average_pool.c -- AveragePool: the mean of what a window shows, with or without the padding. */
#include "net/op/pool.h"

static crd_status infer(crd_context *ctx, crd__net *net, crd__node *node) {
  CRD_TRY(crd__pool_needs_reals(ctx, net, node));
  return crd__pool_infer(ctx, net, node);
}

static crd_status read_pooling(crd_context *ctx, const crd__plan *p, const crd__node *node,
                               crd__pooling *out) {
  const crd__tensor *const x = crd__node_input(crd__plan_net(p), node, 0);
  int64_t positions[CRD_RANK_MAX];
  *out =
      (crd__pooling){ .mean = true, .count_padding = crd__node_int(node, "count_include_pad", 0) };
  return crd__window_read(ctx, node, x, NULL, &out->window, positions);
}

static crd_status plan(crd_context *ctx, crd__plan *p, const crd__node *node) {
  crd__pooling pooling;
  CRD_TRY(read_pooling(ctx, p, node, &pooling));
  return crd__pool_plan(ctx, p, node, &pooling);
}

static crd_status backward(crd_context *ctx, crd__back *back, const crd__node *node) {
  crd__pooling pooling;
  CRD_TRY(read_pooling(ctx, crd__back_plan(back), node, &pooling));
  return crd__pool_backward(ctx, back, node, &pooling);
}

static const crd__op_attribute attributes[] = {
  CRD__WINDOW_ATTRIBUTES,
  { "ceil_mode", CRD__ATTRIBUTE_INT },
  { "count_include_pad", CRD__ATTRIBUTE_INT },
  { .name = NULL },
};

const crd__op crd__op_average_pool = {
  .info = { "AveragePool", "1 to 3 spatial dimensions, ceil_mode, auto_pad", 1, 20, 1, 0 },
  .inputs_least = 1,
  .inputs_most = 1,
  .outputs_least = 1,
  .outputs_most = 1,
  .attributes = attributes,
  .infer = infer,
  .plan = plan,
  .backward = backward,
  .flops = crd__pool_flops,
};

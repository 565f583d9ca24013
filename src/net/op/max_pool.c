/* max_pool.c -- MaxPool: the largest number that a window shows, and where it stands. */
#include "net/op/pool.h"

static crd_status read_pooling(crd_context *ctx, const crd__plan *p, const crd__node *node,
                               crd__pooling *out) {
  const crd__tensor *const x = crd__node_input(crd__plan_net(p), node, 0);
  int64_t positions[CRD_RANK_MAX];
  *out = (crd__pooling){ .column_major = crd__node_int(node, "storage_order", 0) };
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
  { "storage_order", CRD__ATTRIBUTE_INT },
  { .name = NULL },
};

const crd__op crd__op_max_pool = {
  .info = { "MaxPool", "1 to 3 spatial dimensions, dilations, ceil_mode, auto_pad", 1, 20, 1, 0 },
  .inputs_least = 1,
  .inputs_most = 1,
  .outputs_least = 1,
  .outputs_most = 2,
  .attributes = attributes,
  .infer = crd__pool_infer,
  .plan = plan,
  .backward = backward,
  .flops = crd__pool_flops,
};

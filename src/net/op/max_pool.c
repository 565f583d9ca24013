/* max_pool.c -- MaxPool: the largest number that a window shows, and where it stands. */
#include "net/op/pool.h"

static crd_status plan(crd_context *ctx, crd__plan *p, const crd__node *node) {
  const crd__tensor *const x = crd__node_input(crd__plan_net(p), node, 0);
  crd__pooling pooling = { .column_major = crd__node_int(node, "storage_order", 0) };
  int64_t positions[CRD_RANK_MAX];
  CRD_TRY(crd__window_read(ctx, node, x, NULL, &pooling.window, positions));
  return crd__pool_plan(ctx, p, node, &pooling);
}

static const crd__op_attribute attributes[] = {
  CRD__WINDOW_ATTRIBUTES,
  { "ceil_mode", CRD__ATTRIBUTE_INT },
  { "storage_order", CRD__ATTRIBUTE_INT },
  { .name = NULL },
};

const crd__op crd__op_max_pool = {
  .info = { "MaxPool", "1 to 3 spatial dimensions, dilations, ceil_mode, auto_pad", 1, 20 },
  .inputs_least = 1,
  .inputs_most = 1,
  .outputs_least = 1,
  .outputs_most = 2,
  .attributes = attributes,
  .infer = crd__pool_infer,
  .plan = plan,
  .flops = crd__pool_flops,
};

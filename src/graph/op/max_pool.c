/* max_pool.c -- MaxPool: the maximum over a window, and its index. */
#include "graph/op/pool.h"

static const crd__graph_op_attribute attributes[] = {
  CRD__WINDOW_ATTRIBUTES,
  { "ceil_mode", CRD__ATTRIBUTE_INT },
  { "storage_order", CRD__ATTRIBUTE_INT },
  { .name = NULL },
};

const crd__graph_op crd__graph_op_max_pool = {
  .info = { "MaxPool", "1 to 3 spatial dimensions, dilations, ceil_mode, auto_pad", 1, 20, 1, 0 },
  .kind = CRD__POOL_LARGEST,
  .inputs_least = 1,
  .inputs_most = 1,
  .outputs_least = 1,
  .outputs_most = 2,
  .attributes = attributes,
  .infer = crd__graph_pool_infer,
  .plan = crd__graph_pool_plan,
  .backward = crd__graph_pool_backward,
  .flops = crd__graph_pool_flops,
};

/* average_pool.c -- AveragePool: the mean over a window, with or without the padding. */
#include "graph/op/pool.h"

static const crd__graph_op_attribute attributes[] = {
  CRD__WINDOW_ATTRIBUTES,
  { "ceil_mode", CRD__ATTRIBUTE_INT },
  { "count_include_pad", CRD__ATTRIBUTE_INT },
  { .name = NULL },
};

const crd__graph_op crd__graph_op_average_pool = {
  .info = { "AveragePool", "1 to 3 spatial dimensions, ceil_mode, auto_pad", 1, 20, 1, 0 },
  .kind = CRD__POOL_AVERAGE,
  .inputs_least = 1,
  .inputs_most = 1,
  .outputs_least = 1,
  .outputs_most = 1,
  .attributes = attributes,
  .infer = crd__graph_pool_infer,
  .plan = crd__graph_pool_plan,
  .backward = crd__graph_pool_backward,
  .flops = crd__graph_pool_flops,
};

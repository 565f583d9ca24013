/* global_max_pool.c -- GlobalMaxPool: the maximum over all spatial dimensions. */
#include "graph/op/pool.h"

const crd__graph_op crd__graph_op_global_max_pool = {
  .info = { "GlobalMaxPool", "any numeric type", 1, 20, 1, 0 },
  .kind = CRD__POOL_LARGEST | CRD__POOL_GLOBAL,
  .inputs_least = 1,
  .inputs_most = 1,
  .outputs_least = 1,
  .outputs_most = 1,
  .infer = crd__graph_pool_infer,
  .plan = crd__graph_pool_plan,
  .backward = crd__graph_pool_backward,
  .flops = crd__graph_pool_flops,
};

/* reduce_max.c -- ReduceMax: the maximum over any dimensions. */
#include "graph/op/reduction.h"

const crd__graph_op crd__graph_op_reduce_max = {
  .info = { "ReduceMax", "any numeric type", 1, 20, 1, 0 },
  .kind = CRD__MAX,
  .inputs_least = 1,
  .inputs_most = 2,
  .outputs_least = 1,
  .outputs_most = 1,
  .attributes = crd__graph_reduction_attributes,
  .infer = crd__graph_reduction_infer,
  .plan = crd__graph_reduction_plan,
  .flops = crd__graph_reduction_flops,
  .backward = crd__graph_reduction_backward,
  .keep = CRD__KEEP_X | CRD__KEEP_Y,
};

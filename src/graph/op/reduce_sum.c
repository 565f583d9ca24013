/* reduce_sum.c -- ReduceSum: sums over any of the dimensions. */
#include "graph/op/reduction.h"

const crd__op crd__op_reduce_sum = {
  .info = { "ReduceSum", "any numbers", 1, 20, 1, 0 },
  .kind = CRD__SUM,
  .inputs_least = 1,
  .inputs_most = 2,
  .outputs_least = 1,
  .outputs_most = 1,
  .attributes = crd__reduction_attributes,
  .infer = crd__reduction_infer,
  .plan = crd__reduction_plan,
  .flops = crd__reduction_flops,
  .backward = crd__reduction_backward,
};

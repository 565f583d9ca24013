/* softmax.c -- Softmax: exp(x) / sum of exp along an axis. */
#include "graph/op/soft.h"

const crd__graph_op crd__graph_op_softmax = {
  .info = { "Softmax", "f16, f32, f64", 1, 20, 1, 0 },
  .kind = CRD__SOFT,
  .inputs_least = 1,
  .inputs_most = 1,
  .outputs_least = 1,
  .outputs_most = 1,
  .attributes = crd__graph_softmax_attributes,
  .infer = crd__graph_softmax_infer,
  .plan = crd__graph_softmax_plan,
  .backward = crd__graph_softmax_backward,
  .keep = CRD__KEEP_Y,
};

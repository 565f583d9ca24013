/* softmax.c -- Softmax: exp(x) / sum of exp along an axis. */
#include "graph/op/soft.h"

const crd__op crd__op_softmax = {
  .info = { "Softmax", "f16, f32, f64", 1, 20, 1, 0 },
  .kind = CRD__SOFT,
  .inputs_least = 1,
  .inputs_most = 1,
  .outputs_least = 1,
  .outputs_most = 1,
  .attributes = crd__soft_attributes,
  .infer = crd__soft_infer,
  .plan = crd__soft_plan,
  .backward = crd__soft_backward,
  .keep = CRD__KEEP_Y,
};

/* mul.c -- Mul, with NumPy broadcasting. */
#include "graph/op/arithmetic.h"

const crd__graph_op crd__graph_op_mul = {
  .info = { "Mul", "NumPy broadcasting", 6, CRD__OPSET, 1, 1 },
  .kind = CRD__PAIR_MUL,
  .inputs_least = 2,
  .inputs_most = 2,
  .outputs_least = 1,
  .outputs_most = 1,
  .attributes = crd__graph_arithmetic_attributes,
  .infer = crd__graph_arithmetic_infer,
  .plan = crd__graph_arithmetic_plan,
  .takes_after = crd__graph_arithmetic_takes_after,
  .backward = crd__graph_arithmetic_backward,
};

/* div.c -- Div, with NumPy's broadcasting. */
#include "graph/op/arithmetic.h"

const crd__op crd__op_div = {
  .info = { "Div", "NumPy's broadcasting", 6, 20, 1, 1 },
  .kind = CRD__PAIR_DIV,
  .inputs_least = 2,
  .inputs_most = 2,
  .outputs_least = 1,
  .outputs_most = 1,
  .attributes = crd__arithmetic_attributes,
  .infer = crd__arithmetic_infer,
  .plan = crd__arithmetic_plan,
  .takes_after = crd__arithmetic_takes_after,
  .backward = crd__arithmetic_backward,
};

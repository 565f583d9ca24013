/* exp.c -- Exp. */
#include "net/op/curve.h"

static bool curve(const crd__net *net, const crd__node *node, crd__after *out) {
  (void)net, (void)node;
  *out = (crd__after){ .curve = CRD__CURVE_EXP };
  return true;
}

const crd__op crd__op_exp = {
  .info = { "Exp", "f32", 6, 20 },
  .inputs_least = 1,
  .inputs_most = 1,
  .outputs_least = 1,
  .outputs_most = 1,
  .infer = crd__curve_infer,
  .plan = crd__curve_plan,
  .curve = curve,
};

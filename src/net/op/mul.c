/* mul.c -- Mul, with NumPy's broadcasting. */
#include "net/op/arithmetic.h"

static crd_status plan(crd_context *ctx, crd__plan *p, const crd__node *node) {
  return crd__arithmetic_plan(ctx, p, node, CRD__PAIR_MUL);
}

static crd_status backward(crd_context *ctx, crd__back *back, const crd__node *node) {
  return crd__arithmetic_backward(ctx, back, node, CRD__PAIR_MUL);
}

const crd__op crd__op_mul = {
  .info = { "Mul", "NumPy's broadcasting", 6, 20, 1, 1 },
  .inputs_least = 2,
  .inputs_most = 2,
  .outputs_least = 1,
  .outputs_most = 1,
  .attributes = crd__arithmetic_attributes,
  .infer = crd__arithmetic_infer,
  .plan = plan,
  .takes_after = crd__arithmetic_takes_after,
  .backward = backward,
};

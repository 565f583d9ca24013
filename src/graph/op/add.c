/* add.c -- Add, with NumPy's broadcasting. */
#include "graph/op/arithmetic.h"
#include "graph/op/unbroadcast.h"

static crd_status backward(crd_context *ctx, crd__back *back, const crd__node *node) {
  for (size_t i = 0; i < 2; i++) {
    crd__tensor seen;
    if (!crd__back_wants(back, node, i)) continue;
    CRD_TRY(crd__arithmetic_operand(ctx, crd__plan_net(crd__back_plan(back)), node, i, &seen));
    CRD_TRY(crd__unbroadcast_give(ctx, back, node, i, crd__back_incoming(back, node, 0), &seen));
  }
  return CRD_OK;
}

const crd__op crd__op_add = {
  .info = { "Add", "NumPy's broadcasting", 6, 20, 1, 1 },
  .kind = CRD__PAIR_ADD,
  .inputs_least = 2,
  .inputs_most = 2,
  .outputs_least = 1,
  .outputs_most = 1,
  .attributes = crd__arithmetic_attributes,
  .infer = crd__arithmetic_infer,
  .plan = crd__arithmetic_plan,
  .takes_after = crd__arithmetic_takes_after,
  .backward = backward,
};

/* add.c -- Add, with NumPy broadcasting. */
#include "graph/op/arithmetic.h"
#include "graph/op/unbroadcast.h"

static crd_status add_backward(crd_context *ctx, crd__graph_backward *back,
                               const crd__graph_node *node) {
  for (size_t i = 0; i < 2; i++) {
    crd__engine_tensor seen;
    if (!crd__graph_backward_wants(back, node, i)) continue;
    CRD_TRY(crd__graph_arithmetic_operand(ctx, crd__graph_plan_net(crd__graph_backward_plan(back)),
                                          node, i, &seen));
    CRD_TRY(crd__graph_unbroadcast_give(ctx, back, node, i,
                                        crd__graph_backward_incoming(back, node, 0), &seen));
  }
  return CRD_OK;
}

const crd__graph_op crd__graph_op_add = {
  .info = { "Add", "NumPy broadcasting", 6, CRD__OPSET, 1, 1 },
  .kind = CRD__PAIR_ADD,
  .inputs_least = 2,
  .inputs_most = 2,
  .outputs_least = 1,
  .outputs_most = 1,
  .attributes = crd__graph_arithmetic_attributes,
  .infer = crd__graph_arithmetic_infer,
  .plan = crd__graph_arithmetic_plan,
  .takes_after = crd__graph_arithmetic_takes_after,
  .backward = add_backward,
};

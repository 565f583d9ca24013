/* sub.c -- Sub, with NumPy broadcasting. */
#include "engine/kernel/unary.h"
#include "graph/op/arithmetic.h"
#include "graph/op/plain.h"
#include "graph/op/unbroadcast.h"

static crd_status run_back(crd_context *ctx, const crd__engine_step *step) {
  const size_t *const count = step->self;
  (void)ctx;
  crd__kernel_unary(step->threads, CRD__UNARY_NEG, 0, 0, CRD_F32, *count, step->memory[0],
                    step->memory[1]);
  return CRD_OK;
}

static crd_status sub_backward(crd_context *ctx, crd__graph_backward *back,
                               const crd__graph_node *node) {
  const crd__graph *const net = crd__graph_plan_net(crd__graph_backward_plan(back));
  const size_t count = crd__engine_tensor_count(crd__graph_node_output(net, node, 0));
  crd__engine_tensor seen;
  CRD_TRY(crd__graph_arithmetic_operand(ctx, net, node, 1, &seen));
  if (crd__graph_backward_wants(back, node, 1))
    CRD_TRY(crd__graph_plain_back_wide(
        ctx, back, node, 1,
        &(crd__graph_plain_step){ .run = run_back, .self = &count, .size = sizeof count }, &seen));
  if (!crd__graph_backward_wants(back, node, 0)) return CRD_OK;
  return crd__graph_unbroadcast_give(ctx, back, node, 0,
                                     crd__graph_backward_incoming(back, node, 0), NULL);
}

const crd__graph_op crd__graph_op_sub = {
  .info = { "Sub", "NumPy broadcasting", 6, CRD__OPSET, 1, 1 },
  .kind = CRD__PAIR_SUB,
  .inputs_least = 2,
  .inputs_most = 2,
  .outputs_least = 1,
  .outputs_most = 1,
  .attributes = crd__graph_arithmetic_attributes,
  .infer = crd__graph_arithmetic_infer,
  .plan = crd__graph_arithmetic_plan,
  .takes_after = crd__graph_arithmetic_takes_after,
  .backward = sub_backward,
};

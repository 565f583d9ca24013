/* sub.c -- Sub, with NumPy's broadcasting. */
#include "engine/kernel/unary.h"
#include "graph/op/arithmetic.h"
#include "graph/op/plain.h"
#include "graph/op/unbroadcast.h"

static crd_status run_back(crd_context *ctx, const crd__step *step) {
  const size_t *const count = step->self;
  (void)ctx;
  crd__unary(step->threads, CRD__UNARY_NEG, 0, 0, CRD_F32, *count, step->memory[0],
             step->memory[1]);
  return CRD_OK;
}

static crd_status backward(crd_context *ctx, crd__back *back, const crd__node *node) {
  const crd__net *const net = crd__plan_net(crd__back_plan(back));
  const size_t count = crd__tensor_count(crd__node_output(net, node, 0));
  crd__tensor seen;
  CRD_TRY(crd__arithmetic_operand(ctx, net, node, 1, &seen));
  if (crd__back_wants(back, node, 1))
    CRD_TRY(crd__plain_back_wide(
        ctx, back, node, 1,
        &(crd__plain_step){ .run = run_back, .self = &count, .size = sizeof count }, &seen));
  if (!crd__back_wants(back, node, 0)) return CRD_OK;
  return crd__unbroadcast_give(ctx, back, node, 0, crd__back_incoming(back, node, 0), NULL);
}

const crd__op crd__op_sub = {
  .info = { "Sub", "NumPy's broadcasting", 6, 20, 1, 1 },
  .kind = CRD__PAIR_SUB,
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

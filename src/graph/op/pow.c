/* pow.c -- Pow, with NumPy broadcasting: x^y has the type of x. */
#include "graph/op/arithmetic.h"
#include "graph/op/plain.h"

static crd_status pow_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  const crd__engine_tensor *const y = crd__graph_node_input(net, node, 1);
  crd__graph_shape out = crd__graph_shape_of(x);
  crd__engine_tensor second;
  if (x->dtype == CRD_BOOL || y->dtype == CRD_BOOL)
    return crd__graph_node_fail(ctx, node, "powers of bool are not defined");
  CRD_TRY(crd__graph_arithmetic_operand(ctx, net, node, 1, &second));
  CRD_TRY(crd__graph_node_broadcast(ctx, node, &second, &out.rank, out.dims));
  return crd__graph_node_set(ctx, net, node, 0, x->dtype, out.rank, out.dims);
}

const crd__graph_op crd__graph_op_pow = {
  .info = { "Pow", "any numeric types, which may differ; NumPy broadcasting", 6, CRD__OPSET, 1, 1 },
  .kind = CRD__PAIR_POW,
  .inputs_least = 2,
  .inputs_most = 2,
  .outputs_least = 1,
  .outputs_most = 1,
  .attributes = crd__graph_arithmetic_attributes,
  .infer = pow_infer,
  .plan = crd__graph_arithmetic_plan,
  .backward = crd__graph_arithmetic_backward,
};

/* pow.c -- Pow, with NumPy's broadcasting: x^y has the type of x. */
#include "graph/op/arithmetic.h"
#include "graph/op/plain.h"

static crd_status infer(crd_context *ctx, crd__net *net, crd__node *node) {
  const crd__tensor *const x = crd__node_input(net, node, 0);
  const crd__tensor *const y = crd__node_input(net, node, 1);
  crd__shape out = crd__shape_of(x);
  crd__tensor second;
  if (x->dtype == CRD_BOOL || y->dtype == CRD_BOOL)
    return crd__node_fail(ctx, node, "there are no powers of truth values");
  CRD_TRY(crd__arithmetic_operand(ctx, net, node, 1, &second));
  CRD_TRY(crd__node_broadcast(ctx, node, &second, &out.rank, out.dims));
  return crd__node_set(ctx, net, node, 0, x->dtype, out.rank, out.dims);
}

const crd__op crd__op_pow = {
  .info = { "Pow", "any numbers, also of two types; NumPy's broadcasting", 6, 20, 1, 1 },
  .kind = CRD__PAIR_POW,
  .inputs_least = 2,
  .inputs_most = 2,
  .outputs_least = 1,
  .outputs_most = 1,
  .attributes = crd__arithmetic_attributes,
  .infer = infer,
  .plan = crd__arithmetic_plan,
  .backward = crd__arithmetic_backward,
};

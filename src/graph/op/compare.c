/* compare.c -- comparisons with NumPy broadcasting; crd__graph_op.kind is a crd__kernel_compare_id.
 */
#include "engine/kernel/binary.h"
#include "engine/kernel/walk.h"
#include "graph/op/plain.h"

typedef struct {
  crd__kernel_compare_id id;
  crd__graph_shape out;
  crd_dtype dtype;
  int64_t strides[2][CRD_RANK_MAX];
} comparing;

static crd_status compare_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  const crd__engine_tensor *const y = crd__graph_node_input(net, node, 1);
  crd__graph_shape out = crd__graph_shape_of(x);
  if (x->dtype != y->dtype)
    return crd__graph_node_fail(ctx, node, "its inputs are %s and %s; they must be of one type",
                                crd_dtype_name(x->dtype), crd_dtype_name(y->dtype));
  if (x->dtype == CRD_BOOL && node->op->kind != CRD__EQUAL)
    return crd__graph_node_fail(ctx, node, "its inputs are bool, which has no order");
  CRD_TRY(crd__graph_node_broadcast(ctx, node, y, &out.rank, out.dims));
  return crd__graph_node_set(ctx, net, node, 0, CRD_BOOL, out.rank, out.dims);
}

static crd_status run(crd_context *ctx, const crd__engine_step *step) {
  const comparing *const c = step->self;
  (void)ctx;
  crd__kernel_compare(step->threads, c->id, c->out.rank, c->out.dims, step->memory[2],
                      (crd__kernel_operand){ step->memory[0], c->dtype, c->strides[0] },
                      (crd__kernel_operand){ step->memory[1], c->dtype, c->strides[1] });
  return CRD_OK;
}

static crd_status compare_plan(crd_context *ctx, crd__engine_plan *p, const crd__graph_node *node) {
  const crd__graph *const net = crd__graph_plan_net(p);
  comparing c = { .id = (crd__kernel_compare_id)node->op->kind,
                  .out = crd__graph_shape_of(crd__graph_node_output(net, node, 0)),
                  .dtype = crd__graph_node_input(net, node, 0)->dtype };
  for (size_t i = 0; i < 2; i++) {
    const crd__engine_tensor *const t = crd__graph_node_input(net, node, i);
    crd__kernel_strides_broadcast(t->rank, t->dims, c.out.rank, c.strides[i]);
  }
  return crd__graph_plain_plan(ctx, p, node, run, &c, sizeof c);
}

#define COMPARE(entry, id, name, types, since)                                                     \
  const crd__graph_op crd__graph_op_##entry = {                                                    \
    .info = { name, types "; NumPy broadcasting", since, CRD__OPSET, 0, 0 },                       \
    .kind = id,                                                                                    \
    .inputs_least = 2,                                                                             \
    .inputs_most = 2,                                                                              \
    .outputs_least = 1,                                                                            \
    .outputs_most = 1,                                                                             \
    .infer = compare_infer,                                                                        \
    .plan = compare_plan,                                                                          \
    .flat = true,                                                                                  \
  }

COMPARE(equal, CRD__EQUAL, "Equal", "any type", 7);
COMPARE(less, CRD__LESS, "Less", "any numeric type", 7);
COMPARE(less_or_equal, CRD__LESS_OR_EQUAL, "LessOrEqual", "any numeric type", 12);
COMPARE(greater, CRD__GREATER, "Greater", "any numeric type", 7);
COMPARE(greater_or_equal, CRD__GREATER_OR_EQUAL, "GreaterOrEqual", "any numeric type", 12);

/* equal.c -- Equal, with NumPy broadcasting. */
#include "engine/kernel/binary.h"
#include "engine/kernel/walk.h"
#include "graph/op/plain.h"

typedef struct {
  crd__graph_shape out;
  crd_dtype dtype;
  int64_t strides[2][CRD_RANK_MAX];
} comparing;

static crd_status equal_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  const crd__engine_tensor *const y = crd__graph_node_input(net, node, 1);
  crd__graph_shape out = crd__graph_shape_of(x);
  if (x->dtype != y->dtype)
    return crd__graph_node_fail(ctx, node, "its inputs are %s and %s; they must be of one type",
                                crd_dtype_name(x->dtype), crd_dtype_name(y->dtype));
  CRD_TRY(crd__graph_node_broadcast(ctx, node, y, &out.rank, out.dims));
  return crd__graph_node_set(ctx, net, node, 0, CRD_BOOL, out.rank, out.dims);
}

static crd_status run(crd_context *ctx, const crd__engine_step *step) {
  const comparing *const c = step->self;
  (void)ctx;
  crd__kernel_compare(step->threads, CRD__EQUAL, c->out.rank, c->out.dims, step->memory[2],
                      (crd__kernel_operand){ step->memory[0], c->dtype, c->strides[0] },
                      (crd__kernel_operand){ step->memory[1], c->dtype, c->strides[1] });
  return CRD_OK;
}

static crd_status equal_plan(crd_context *ctx, crd__engine_plan *p, const crd__graph_node *node) {
  const crd__graph *const net = crd__graph_plan_net(p);
  comparing c = { .out = crd__graph_shape_of(crd__graph_node_output(net, node, 0)),
                  .dtype = crd__graph_node_input(net, node, 0)->dtype };
  for (size_t i = 0; i < 2; i++) {
    const crd__engine_tensor *const t = crd__graph_node_input(net, node, i);
    crd__kernel_strides_broadcast(t->rank, t->dims, c.out.rank, c.strides[i]);
  }
  return crd__graph_plain_plan(ctx, p, node, run, &c, sizeof c);
}

const crd__graph_op crd__graph_op_equal = {
  .info = { "Equal", "any type; NumPy broadcasting", 7, 20, 0, 0 },
  .inputs_least = 2,
  .inputs_most = 2,
  .outputs_least = 1,
  .outputs_most = 1,
  .infer = equal_infer,
  .plan = equal_plan,
  .flat = true,
};

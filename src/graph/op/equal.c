/* equal.c -- Equal, with NumPy's broadcasting: truth values. */
#include "engine/kernel/binary.h"
#include "engine/kernel/walk.h"
#include "graph/op/plain.h"

typedef struct {
  crd__shape out;
  crd_dtype dtype;
  int64_t strides[2][CRD_RANK_MAX];
} comparing;

static crd_status infer(crd_context *ctx, crd__net *net, crd__node *node) {
  const crd__tensor *const x = crd__node_input(net, node, 0);
  const crd__tensor *const y = crd__node_input(net, node, 1);
  crd__shape out = crd__shape_of(x);
  if (x->dtype != y->dtype)
    return crd__node_fail(ctx, node, "its inputs are %s and %s, and must be of one type",
                          crd_dtype_name(x->dtype), crd_dtype_name(y->dtype));
  CRD_TRY(crd__node_broadcast(ctx, node, y, &out.rank, out.dims));
  return crd__node_set(ctx, net, node, 0, CRD_BOOL, out.rank, out.dims);
}

static crd_status run(crd_context *ctx, const crd__step *step) {
  const comparing *const c = step->self;
  (void)ctx;
  crd__compare(step->threads, CRD__EQUAL, c->out.rank, c->out.dims, step->memory[2],
               (crd__operand){ step->memory[0], c->dtype, c->strides[0] },
               (crd__operand){ step->memory[1], c->dtype, c->strides[1] });
  return CRD_OK;
}

static crd_status plan(crd_context *ctx, crd__plan *p, const crd__node *node) {
  const crd__net *const net = crd__plan_net(p);
  comparing c = { .out = crd__shape_of(crd__node_output(net, node, 0)),
                  .dtype = crd__node_input(net, node, 0)->dtype };
  for (size_t i = 0; i < 2; i++) {
    const crd__tensor *const t = crd__node_input(net, node, i);
    crd__strides_broadcast(t->rank, t->dims, c.out.rank, c.strides[i]);
  }
  return crd__plain_plan(ctx, p, node, run, &c, sizeof c);
}

const crd__op crd__op_equal = {
  .info = { "Equal", "any type; NumPy's broadcasting", 7, 20, 0, 0 },
  .inputs_least = 2,
  .inputs_most = 2,
  .outputs_least = 1,
  .outputs_most = 1,
  .infer = infer,
  .plan = plan,
  .flat = true,
};

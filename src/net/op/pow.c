/* pow.c -- Pow, with NumPy's broadcasting: x^y has the type of x. */
#include "net/kernel/binary.h"
#include "net/kernel/walk.h"
#include "net/op/plain.h"

typedef struct {
  crd__shape out;
  crd_dtype dtypes[2];
  int64_t strides[2][CRD_RANK_MAX];
} raising;

static crd_status infer(crd_context *ctx, crd__net *net, crd__node *node) {
  const crd__tensor *const x = crd__node_input(net, node, 0);
  const crd__tensor *const y = crd__node_input(net, node, 1);
  crd__shape out = crd__shape_of(x);
  if (x->dtype == CRD_BOOL || y->dtype == CRD_BOOL)
    return crd__node_fail(ctx, node, "there are no powers of truth values");
  CRD_TRY(crd__node_broadcast(ctx, node, y, &out.rank, out.dims));
  return crd__node_set(ctx, net, node, 0, x->dtype, out.rank, out.dims);
}

static crd_status run(crd_context *ctx, const crd__step *step) {
  const raising *const r = step->self;
  (void)ctx;
  crd__binary(step->threads, CRD__PAIR_POW, r->out.rank, r->out.dims, step->memory[2],
              (crd__operand){ step->memory[0], r->dtypes[0], r->strides[0] },
              (crd__operand){ step->memory[1], r->dtypes[1], r->strides[1] });
  return CRD_OK;
}

static crd_status plan(crd_context *ctx, crd__plan *p, const crd__node *node) {
  const crd__net *const net = crd__plan_net(p);
  raising r = { .out = crd__shape_of(crd__node_output(net, node, 0)) };
  for (size_t i = 0; i < 2; i++) {
    const crd__tensor *const t = crd__node_input(net, node, i);
    r.dtypes[i] = t->dtype;
    crd__strides_broadcast(t->rank, t->dims, r.out.rank, r.strides[i]);
  }
  return crd__plain_plan(ctx, p, node, run, &r, sizeof r);
}

const crd__op crd__op_pow = {
  .info = { "Pow", "any numbers, also of two types; NumPy's broadcasting", 7, 20 },
  .inputs_least = 2,
  .inputs_most = 2,
  .outputs_least = 1,
  .outputs_most = 1,
  .infer = infer,
  .plan = plan,
};

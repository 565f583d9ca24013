/*
 * mod.c -- Mod, with NumPy broadcasting: the remainder of x / y, with the sign of y or, with the
 * attribute fmod, that of x.
 *
 * x - y floor(x / y), or with fmod x - y trunc(x / y): the derivative with respect to x is 1, that
 * with respect to y the negative quotient.
 */
#include "engine/kernel/binary.h"
#include "engine/kernel/partial.h"
#include "engine/kernel/walk.h"
#include "graph/op/arithmetic.h"
#include "graph/op/plain.h"
#include "graph/op/unbroadcast.h"

typedef struct {
  bool fmod;
  crd_dtype dtype;
  crd__graph_shape out;
  int64_t strides[2][CRD_RANK_MAX];
} dividing;

static dividing division_of(const crd__graph *net, const crd__graph_node *node) {
  const crd__engine_tensor *const y = crd__graph_node_output(net, node, 0);
  dividing d = { .fmod = crd__graph_node_int(node, "fmod", 0),
                 .dtype = y->dtype,
                 .out = crd__graph_shape_of(y) };
  for (size_t i = 0; i < 2; i++) {
    const crd__engine_tensor *const t = crd__graph_node_input(net, node, i);
    crd__kernel_strides_broadcast(t->rank, t->dims, d.out.rank, d.strides[i]);
  }
  return d;
}

static crd_status run(crd_context *ctx, const crd__engine_step *step) {
  const dividing *const d = step->self;
  (void)ctx;
  crd__kernel_binary(step->threads, d->fmod ? CRD__PAIR_FMOD : CRD__PAIR_MOD, d->out.rank,
                     d->out.dims, step->memory[2],
                     (crd__kernel_operand){ step->memory[0], d->dtype, d->strides[0] },
                     (crd__kernel_operand){ step->memory[1], d->dtype, d->strides[1] });
  return CRD_OK;
}

static crd_status mod_plan(crd_context *ctx, crd__engine_plan *p, const crd__graph_node *node) {
  const dividing d = division_of(crd__graph_plan_net(p), node);
  return crd__graph_plain_plan(ctx, p, node, run, &d, sizeof d);
}

static crd_status run_back(crd_context *ctx, const crd__engine_step *step) {
  const dividing *const d = step->self;
  (void)ctx;
  crd__kernel_partial(step->threads, d->fmod ? CRD__PARTIAL_FMOD_Y : CRD__PARTIAL_MOD_Y,
                      d->out.rank, d->out.dims, step->memory[3], step->memory[2], step->memory[0],
                      d->strides[0], step->memory[1], d->strides[1]);
  return CRD_OK;
}

static crd_status mod_backward(crd_context *ctx, crd__graph_backward *back,
                               const crd__graph_node *node) {
  const dividing d = division_of(crd__graph_plan_net(crd__graph_backward_plan(back)), node);
  if (crd__graph_backward_wants(back, node, 1))
    CRD_TRY(crd__graph_plain_back_wide(
        ctx, back, node, 1,
        &(crd__graph_plain_step){ .run = run_back,
                                  .self = &d,
                                  .size = sizeof d,
                                  .count = 2,
                                  .read = { node->inputs[0], node->inputs[1] } },
        NULL));
  if (!crd__graph_backward_wants(back, node, 0)) return CRD_OK;
  return crd__graph_unbroadcast_give(ctx, back, node, 0,
                                     crd__graph_backward_incoming(back, node, 0), NULL);
}

static const crd__graph_op_attribute attributes[] = {
  { "fmod", CRD__ATTRIBUTE_INT },
  { .name = NULL },
};

const crd__graph_op crd__graph_op_mod = {
  .info = { "Mod", "any numeric type; NumPy broadcasting", 10, CRD__OPSET, 1, 1 },
  .inputs_least = 2,
  .inputs_most = 2,
  .outputs_least = 1,
  .outputs_most = 1,
  .attributes = attributes,
  .infer = crd__graph_arithmetic_infer,
  .plan = mod_plan,
  .backward = mod_backward,
  .keep = CRD__KEEP_X | CRD__KEEP_X1,
};

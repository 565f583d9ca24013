/* expand.c -- Expand: NumPy's broadcasting to a shape, which must be known before a run. */
#include "engine/kernel/copy.h"
#include "engine/kernel/walk.h"
#include "graph/op/plain.h"
#include "graph/op/unbroadcast.h"

#include <string.h>

typedef struct {
  crd__shape out;
  size_t size;
  int64_t strides[CRD_RANK_MAX];
} expanding;

static crd_status infer(crd_context *ctx, crd__net *net, crd__node *node) {
  const crd__tensor *const x = crd__node_input(net, node, 0);
  crd__shape out = crd__shape_of(x);
  crd__tensor wanted = { .known = true };
  crd__list shape;
  CRD_TRY(crd__node_list_input(ctx, net, node, 1, &shape));
  if (shape.count > CRD_RANK_MAX)
    return crd__node_fail(ctx, node, "its shape has %zu dimensions, of at most %d", shape.count,
                          CRD_RANK_MAX);
  wanted.rank = shape.count;
  memcpy(wanted.dims, shape.items, sizeof wanted.dims);
  CRD_TRY(crd__node_broadcast(ctx, node, &wanted, &out.rank, out.dims));
  return crd__node_set(ctx, net, node, 0, x->dtype, out.rank, out.dims);
}

static crd_status run(crd_context *ctx, const crd__step *step) {
  const expanding *const e = step->self;
  (void)ctx;
  crd__copy(step->threads, e->size, e->out.rank, e->out.dims, step->memory[1], NULL,
            step->memory[0], e->strides);
  return CRD_OK;
}

static crd_status plan(crd_context *ctx, crd__plan *p, const crd__node *node) {
  const crd__net *const net = crd__plan_net(p);
  const crd__tensor *const x = crd__node_input(net, node, 0);
  expanding e = { .out = crd__shape_of(crd__node_output(net, node, 0)),
                  .size = crd_dtype_size(x->dtype) };
  int places[2];
  crd__strides_broadcast(x->rank, x->dims, e.out.rank, e.strides);
  CRD_TRY(crd__plan_plain(ctx, p, node->inputs[0], &places[0]));
  CRD_TRY(crd__plan_output(ctx, p, node->outputs[0], &places[1]));
  return crd__plan_step(ctx, p, node, run, &e, sizeof e, 2, places);
}

static crd_status backward(crd_context *ctx, crd__back *back, const crd__node *node) {
  return crd__unbroadcast_give(ctx, back, node, 0, crd__back_incoming(back, node, 0), NULL);
}

const crd__op crd__op_expand = {
  .info = { "Expand", "any type; the shape must not depend on data", 8, 20, 1, 1 },
  .inputs_least = 2,
  .inputs_most = 2,
  .outputs_least = 1,
  .outputs_most = 1,
  .infer = infer,
  .plan = plan,
  .backward = backward,
};

/* expand.c -- Expand: NumPy broadcasting to a shape, which must be a constant. */
#include "engine/kernel/copy.h"
#include "engine/kernel/walk.h"
#include "graph/op/plain.h"
#include "graph/op/unbroadcast.h"

#include <string.h>

typedef struct {
  crd__graph_shape out;
  size_t size;
  int64_t strides[CRD_RANK_MAX];
} expanding;

static crd_status expand_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  crd__graph_shape out = crd__graph_shape_of(x);
  crd__engine_tensor wanted = { .known = true };
  crd__graph_list shape;
  CRD_TRY(crd__graph_node_list_input(ctx, net, node, 1, &shape));
  if (shape.count > CRD_RANK_MAX)
    return crd__graph_node_fail(ctx, node, "its shape has %zu dimensions; at most %d are supported",
                                shape.count, CRD_RANK_MAX);
  wanted.rank = shape.count;
  memcpy(wanted.dims, shape.items, sizeof wanted.dims);
  CRD_TRY(crd__graph_node_broadcast(ctx, node, &wanted, &out.rank, out.dims));
  return crd__graph_node_set(ctx, net, node, 0, x->dtype, out.rank, out.dims);
}

static crd_status run(crd_context *ctx, const crd__engine_step *step) {
  const expanding *const e = step->self;
  (void)ctx;
  crd__kernel_copy(step->threads, e->size, e->out.rank, e->out.dims, step->memory[1], NULL,
                   step->memory[0], e->strides);
  return CRD_OK;
}

static crd_status expand_plan(crd_context *ctx, crd__engine_plan *p, const crd__graph_node *node) {
  const crd__graph *const net = crd__graph_plan_net(p);
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  expanding e = { .out = crd__graph_shape_of(crd__graph_node_output(net, node, 0)),
                  .size = crd_dtype_size(x->dtype) };
  int places[2];
  crd__kernel_strides_broadcast(x->rank, x->dims, e.out.rank, e.strides);
  CRD_TRY(crd__engine_plan_plain(ctx, p, node->inputs[0], &places[0]));
  CRD_TRY(crd__engine_plan_output(ctx, p, node->outputs[0], &places[1]));
  return crd__engine_plan_step(ctx, p, node, run, &e, sizeof e, 2, places);
}

static crd_status expand_backward(crd_context *ctx, crd__graph_backward *back,
                                  const crd__graph_node *node) {
  return crd__graph_unbroadcast_give(ctx, back, node, 0,
                                     crd__graph_backward_incoming(back, node, 0), NULL);
}

const crd__graph_op crd__graph_op_expand = {
  .info = { "Expand", "any type; the shape must not depend on data", 8, CRD__OPSET, 1, 1 },
  .inputs_least = 2,
  .inputs_most = 2,
  .outputs_least = 1,
  .outputs_most = 1,
  .infer = expand_infer,
  .plan = expand_plan,
  .backward = expand_backward,
};

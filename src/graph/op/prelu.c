/* prelu.c -- PRelu: x if x >= 0, slope * x otherwise; the slope is broadcast to the shape of x. */
#include "engine/kernel/partial.h"
#include "engine/kernel/walk.h"
#include "graph/op/plain.h"

typedef struct {
  crd__kernel_walk walk;
  const float *x, *slope;
  float *y;
} bending;

/* Up to operator set 6 a vector of slopes is one per channel. */
static crd__engine_tensor slope_of(const crd__graph *net, const crd__graph_node *node) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  crd__engine_tensor slope = *crd__graph_node_input(net, node, 1);
  if (node->opset < 7 && slope.rank == 1)
    while (slope.rank + 1 < x->rank) slope.dims[slope.rank++] = 1;
  return slope;
}

static crd_status prelu_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  crd__graph_shape wide = crd__graph_shape_of(crd__graph_node_input(net, node, 0));
  const crd__graph_shape own = wide;
  for (size_t i = 0; i < 2; i++) CRD_TRY(crd__graph_node_needs(ctx, net, node, i, CRD_F32));
  const crd__engine_tensor slope = slope_of(net, node);
  CRD_TRY(crd__graph_node_broadcast(ctx, node, &slope, &wide.rank, wide.dims));
  if (!crd__engine_same_shape(wide.rank, wide.dims, own.rank, own.dims))
    return crd__graph_node_fail(ctx, node,
                                "its slope cannot be broadcast to the shape of its input");
  return crd__graph_node_set_like(ctx, net, node, 0, 0);
}

static void bend(void *arg, const crd__kernel_walk *walk, size_t count, const ptrdiff_t *at) {
  const bending *const b = arg;
  const ptrdiff_t step = crd__kernel_walk_step(walk, 2), stride = crd__kernel_walk_step(walk, 1);
  for (ptrdiff_t i = 0; i < (ptrdiff_t)count; i++) {
    const float x = b->x[at[1] + i * stride];
    b->y[at[0] + i * crd__kernel_walk_step(walk, 0)] = x < 0 ? x * b->slope[at[2] + i * step] : x;
  }
}

static crd_status run(crd_context *ctx, const crd__engine_step *step) {
  bending b = *(const bending *)step->self;
  (void)ctx;
  b.x = step->memory[0];
  b.slope = step->memory[1];
  b.y = step->memory[2];
  crd__kernel_walk_run(step->threads, &b.walk, bend, &b);
  return CRD_OK;
}

static crd_status prelu_plan(crd_context *ctx, crd__engine_plan *p, const crd__graph_node *node) {
  const crd__engine_tensor *const x = crd__graph_node_input(crd__graph_plan_net(p), node, 0);
  const crd__engine_tensor slope = slope_of(crd__graph_plan_net(p), node);
  int64_t strides[CRD_RANK_MAX];
  crd__kernel_strides_broadcast(slope.rank, slope.dims, x->rank, strides);
  const bending b = { .walk = crd__kernel_walk_make(
                          3, x->rank, x->dims, (const int64_t *const[]){ NULL, NULL, strides }) };
  return crd__graph_plain_plan(ctx, p, node, run, &b, sizeof b);
}

/* ---- Backward pass. */

typedef struct {
  crd__kernel_partial_id id;
  crd__graph_shape shape;
  int64_t strides[CRD_RANK_MAX];
} deriving;

static crd_status run_back(crd_context *ctx, const crd__engine_step *step) {
  const deriving *const d = step->self;
  (void)ctx;
  crd__kernel_partial(step->threads, d->id, d->shape.rank, d->shape.dims, step->memory[3],
                      step->memory[2], step->memory[0], NULL, step->memory[1], d->strides);
  return CRD_OK;
}

static crd_status prelu_backward(crd_context *ctx, crd__graph_backward *back,
                                 const crd__graph_node *node) {
  const crd__graph *const net = crd__graph_plan_net(crd__graph_backward_plan(back));
  const crd__engine_tensor slope = slope_of(net, node);
  deriving d = { .shape = crd__graph_shape_of(crd__graph_node_input(net, node, 0)) };
  const crd__graph_plain_step step = { .run = run_back,
                                       .self = &d,
                                       .size = sizeof d,
                                       .count = 2,
                                       .read = { node->inputs[0], node->inputs[1] } };
  crd__kernel_strides_broadcast(slope.rank, slope.dims, d.shape.rank, d.strides);
  d.id = CRD__PARTIAL_PRELU_Y;
  if (crd__graph_backward_wants(back, node, 1))
    CRD_TRY(crd__graph_plain_back_wide(ctx, back, node, 1, &step, &slope));
  d.id = CRD__PARTIAL_PRELU_X;
  return crd__graph_backward_wants(back, node, 0) ? crd__graph_plain_back(ctx, back, node, 0, &step)
                                                  : CRD_OK;
}

const crd__graph_op crd__graph_op_prelu = {
  .info = { "PRelu", "f32", 6, CRD__OPSET, 1, 1 },
  .inputs_least = 2,
  .inputs_most = 2,
  .outputs_least = 1,
  .outputs_most = 1,
  .infer = prelu_infer,
  .plan = prelu_plan,
  .backward = prelu_backward,
  .keep = CRD__KEEP_X | CRD__KEEP_X1,
};

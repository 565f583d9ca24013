/* transpose.c -- Transpose: permutes the dimensions; by default reverses them. */
#include "engine/kernel/copy.h"
#include "engine/kernel/walk.h"
#include "graph/op/plain.h"

typedef struct {
  crd__graph_shape out;
  size_t size;
  int64_t strides[CRD_RANK_MAX]; /* of the input, for the output's dimensions */
} turning;

static crd_status read_order(crd_context *ctx, const crd__graph *net, const crd__graph_node *node,
                             size_t order[CRD_RANK_MAX]) {
  const size_t rank = crd__graph_node_input(net, node, 0)->rank;
  bool marks[CRD_RANK_MAX];
  crd__graph_list list;
  CRD_TRY(crd__graph_node_list(ctx, node, "perm", &list));
  if (list.given && list.count != rank)
    return crd__graph_node_fail(ctx, node,
                                "its 'perm' has %zu elements, not the %zu dimensions of its input",
                                list.count, rank);
  CRD_TRY(crd__graph_node_axes(ctx, node, &list, rank, false, marks));
  for (size_t i = 0; i < rank; i++) {
    order[i] = rank - 1 - i;
    if (list.given) CRD_TRY(crd__graph_node_axis(ctx, node, list.items[i], rank, &order[i]));
  }
  return CRD_OK;
}

static crd_status transpose_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  size_t order[CRD_RANK_MAX] = { 0 };
  int64_t dims[CRD_RANK_MAX];
  CRD_TRY(read_order(ctx, net, node, order));
  for (size_t i = 0; i < x->rank; i++) dims[i] = x->dims[order[i]];
  return crd__graph_node_set(ctx, net, node, 0, x->dtype, x->rank, dims);
}

static crd_status run(crd_context *ctx, const crd__engine_step *step) {
  const turning *const t = step->self;
  (void)ctx;
  crd__kernel_copy(step->threads, t->size, t->out.rank, t->out.dims, step->memory[1], NULL,
                   step->memory[0], t->strides);
  return CRD_OK;
}

static crd_status read_turning(crd_context *ctx, const crd__graph *net, const crd__graph_node *node,
                               turning *t) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  size_t order[CRD_RANK_MAX] = { 0 };
  int64_t own[CRD_RANK_MAX];
  *t = (turning){ .out = crd__graph_shape_of(crd__graph_node_output(net, node, 0)),
                  .size = crd_dtype_size(x->dtype) };
  CRD_TRY(read_order(ctx, net, node, order));
  crd__kernel_strides_make(x->rank, x->dims, own);
  for (size_t i = 0; i < x->rank; i++) t->strides[i] = own[order[i]];
  return CRD_OK;
}

static crd_status transpose_plan(crd_context *ctx, crd__engine_plan *p,
                                 const crd__graph_node *node) {
  turning t;
  CRD_TRY(read_turning(ctx, crd__graph_plan_net(p), node, &t));
  return crd__graph_plain_plan(ctx, p, node, run, &t, sizeof t);
}

static crd_status run_back(crd_context *ctx, const crd__engine_step *step) {
  const turning *const t = step->self;
  (void)ctx;
  crd__kernel_copy(step->threads, t->size, t->out.rank, t->out.dims, step->memory[1], t->strides,
                   step->memory[0], NULL);
  return CRD_OK;
}

static crd_status transpose_backward(crd_context *ctx, crd__graph_backward *back,
                                     const crd__graph_node *node) {
  turning t;
  CRD_TRY(read_turning(ctx, crd__graph_plan_net(crd__graph_backward_plan(back)), node, &t));
  return crd__graph_plain_back(
      ctx, back, node, 0,
      &(crd__graph_plain_step){ .run = run_back, .self = &t, .size = sizeof t });
}

static const crd__graph_op_attribute attributes[] = {
  { "perm", CRD__ATTRIBUTE_INTS },
  { .name = NULL },
};

const crd__graph_op crd__graph_op_transpose = {
  .info = { "Transpose", "any type", 1, CRD__OPSET, 1, 1 },
  .inputs_least = 1,
  .inputs_most = 1,
  .outputs_least = 1,
  .outputs_most = 1,
  .strings = true,
  .attributes = attributes,
  .infer = transpose_infer,
  .plan = transpose_plan,
  .backward = transpose_backward,
};

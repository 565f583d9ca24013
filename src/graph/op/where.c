/* where.c -- Where: elements of the second array where the first is true, else of the third. */
#include "engine/kernel/binary.h"
#include "engine/kernel/walk.h"
#include "graph/op/plain.h"

typedef struct {
  crd__graph_shape out;
  size_t size;
  int64_t strides[3][CRD_RANK_MAX];
} choosing;

static crd_status where_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 1);
  const crd__engine_tensor *const y = crd__graph_node_input(net, node, 2);
  crd__graph_shape out = crd__graph_shape_of(crd__graph_node_input(net, node, 0));
  CRD_TRY(crd__graph_node_needs(ctx, net, node, 0, CRD_BOOL));
  if (x->dtype != y->dtype)
    return crd__graph_node_fail(ctx, node,
                                "it selects between %s and %s, which must be of one type",
                                crd_dtype_name(x->dtype), crd_dtype_name(y->dtype));
  CRD_TRY(crd__graph_node_broadcast(ctx, node, x, &out.rank, out.dims));
  CRD_TRY(crd__graph_node_broadcast(ctx, node, y, &out.rank, out.dims));
  return crd__graph_node_set(ctx, net, node, 0, x->dtype, out.rank, out.dims);
}

static crd_status run(crd_context *ctx, const crd__engine_step *step) {
  const choosing *const c = step->self;
  crd__kernel_operand operands[3];
  (void)ctx;
  for (size_t i = 0; i < 3; i++)
    operands[i] = (crd__kernel_operand){ .data = step->memory[i], .strides = c->strides[i] };
  crd__kernel_where(step->threads, c->size, c->out.rank, c->out.dims, step->memory[3], operands[0],
                    operands[1], operands[2]);
  return CRD_OK;
}

static crd_status where_plan(crd_context *ctx, crd__engine_plan *p, const crd__graph_node *node) {
  const crd__graph *const net = crd__graph_plan_net(p);
  const crd__engine_tensor *const y = crd__graph_node_output(net, node, 0);
  choosing c = { .out = crd__graph_shape_of(y), .size = crd_dtype_size(y->dtype) };
  for (size_t i = 0; i < 3; i++) {
    const crd__engine_tensor *const t = crd__graph_node_input(net, node, i);
    crd__kernel_strides_broadcast(t->rank, t->dims, c.out.rank, c.strides[i]);
  }
  return crd__graph_plain_plan(ctx, p, node, run, &c, sizeof c);
}

/* ---- Backward pass: the gradient goes to the selected operand; the other's is 0. */

typedef struct {
  crd__graph_shape out;
  int64_t strides[CRD_RANK_MAX]; /* of the condition */
  bool first;                    /* which of the two operands */
} returning;

static crd_status run_back(crd_context *ctx, const crd__engine_step *step) {
  const returning *const r = step->self;
  const int64_t none[CRD_RANK_MAX] = { 0 };
  const float zero = 0;
  const crd__kernel_operand chosen = { .data = step->memory[1] };
  const crd__kernel_operand other = { .data = &zero, .strides = none };
  (void)ctx;
  crd__kernel_where(step->threads, sizeof zero, r->out.rank, r->out.dims, step->memory[2],
                    (crd__kernel_operand){ .data = step->memory[0], .strides = r->strides },
                    r->first ? chosen : other, r->first ? other : chosen);
  return CRD_OK;
}

static crd_status where_backward(crd_context *ctx, crd__graph_backward *back,
                                 const crd__graph_node *node) {
  const crd__graph *const net = crd__graph_plan_net(crd__graph_backward_plan(back));
  const crd__engine_tensor *const condition = crd__graph_node_input(net, node, 0);
  returning r = { .out = crd__graph_shape_of(crd__graph_node_output(net, node, 0)) };
  crd__kernel_strides_broadcast(condition->rank, condition->dims, r.out.rank, r.strides);
  for (size_t i = 1; i < 3; i++) {
    r.first = i == 1;
    if (crd__graph_backward_wants(back, node, i))
      CRD_TRY(crd__graph_plain_back_wide(ctx, back, node, i,
                                         &(crd__graph_plain_step){ .run = run_back,
                                                                   .self = &r,
                                                                   .size = sizeof r,
                                                                   .count = 1,
                                                                   .read = { node->inputs[0] } },
                                         NULL));
  }
  return CRD_OK;
}

const crd__graph_op crd__graph_op_where = {
  .info = { "Where", "any type; NumPy broadcasting", 9, CRD__OPSET, 1, 1 },
  .inputs_least = 3,
  .inputs_most = 3,
  .outputs_least = 1,
  .outputs_most = 1,
  .infer = where_infer,
  .plan = where_plan,
  .backward = where_backward,
  .keep = CRD__KEEP_X,
};

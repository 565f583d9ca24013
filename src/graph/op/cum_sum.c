/* cum_sum.c -- CumSum: sums of the elements up to each one along an axis, or from it on. */
#include "engine/kernel/along.h"
#include "graph/op/plain.h"

typedef struct {
  crd__kernel_along a;
  bool exclusive, reverse;
} summing;

/* The axis is an input of one element. */
static crd_status read_sum(crd_context *ctx, const crd__graph *net, const crd__graph_node *node,
                           summing *s) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  crd__graph_list axes;
  size_t axis = 0;
  if (x->dtype == CRD_BOOL)
    return crd__graph_node_fail(ctx, node, "its input is bool, not numeric");
  CRD_TRY(crd__graph_node_list_input(ctx, net, node, 1, &axes));
  if (axes.count != 1)
    return crd__graph_node_fail(ctx, node, "its axis has %zu elements, expected 1", axes.count);
  CRD_TRY(crd__graph_node_axis(ctx, node, axes.items[0], x->rank, &axis));
  *s = (summing){ .a = crd__graph_plain_along(x, axis),
                  .exclusive = crd__graph_node_int(node, "exclusive", 0),
                  .reverse = crd__graph_node_int(node, "reverse", 0) };
  return CRD_OK;
}

static crd_status cum_sum_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  summing s;
  CRD_TRY(read_sum(ctx, net, node, &s));
  return crd__graph_node_set_like(ctx, net, node, 0, 0);
}

static crd_status run(crd_context *ctx, const crd__engine_step *step) {
  const summing *const s = step->self;
  (void)ctx;
  crd__kernel_cumsum(step->threads, &s->a, s->exclusive, s->reverse, step->memory[0],
                     step->memory[step->count - 1]);
  return CRD_OK;
}

static crd_status cum_sum_plan(crd_context *ctx, crd__engine_plan *p, const crd__graph_node *node) {
  summing s;
  CRD_TRY(read_sum(ctx, crd__graph_plan_net(p), node, &s));
  return crd__graph_plain_plan(ctx, p, node, run, &s, sizeof s);
}

/* An element is in the sums after it: its gradient is the sum of theirs, from the other end. */
static crd_status cum_sum_backward(crd_context *ctx, crd__graph_backward *back,
                                   const crd__graph_node *node) {
  summing s;
  CRD_TRY(read_sum(ctx, crd__graph_plan_net(crd__graph_backward_plan(back)), node, &s));
  s.reverse = !s.reverse;
  return crd__graph_plain_back(
      ctx, back, node, 0, &(crd__graph_plain_step){ .run = run, .self = &s, .size = sizeof s });
}

static const crd__graph_op_attribute attributes[] = {
  { "exclusive", CRD__ATTRIBUTE_INT },
  { "reverse", CRD__ATTRIBUTE_INT },
  { .name = NULL },
};

const crd__graph_op crd__graph_op_cum_sum = {
  .info = { "CumSum", "any numeric type; the axis must not depend on data", 11, CRD__OPSET, 1, 1 },
  .inputs_least = 2,
  .inputs_most = 2,
  .outputs_least = 1,
  .outputs_most = 1,
  .attributes = attributes,
  .infer = cum_sum_infer,
  .plan = cum_sum_plan,
  .backward = cum_sum_backward,
};

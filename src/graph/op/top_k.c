/* top_k.c -- TopK: the k greatest or smallest elements along an axis, and their positions. They are
 * sorted in any case; the attribute 'sorted' only permits that they are not. */
#include "engine/kernel/along.h"
#include "engine/kernel/index.h"
#include "graph/op/plain.h"

#include <string.h>

typedef struct {
  crd__kernel_along a;
  size_t axis, k;
  bool least;
} selecting;

/* k is an attribute up to operator set 9, later an input. */
static crd_status read_top_k(crd_context *ctx, const crd__graph *net, const crd__graph_node *node,
                             selecting *s) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  crd__graph_list k = { .count = 1, .items = { crd__graph_node_int(node, "k", -1) } };
  size_t axis = 0;
  if (x->dtype == CRD_BOOL)
    return crd__graph_node_fail(ctx, node, "its input is bool, not numeric");
  CRD_TRY(crd__graph_node_axis(ctx, node, crd__graph_node_int(node, "axis", -1), x->rank, &axis));
  if (node->opset >= 10) CRD_TRY(crd__graph_node_list_input(ctx, net, node, 1, &k));
  if (k.count != 1 || k.items[0] < 0 || k.items[0] > x->dims[axis])
    return crd__graph_node_fail(ctx, node,
                                "its k is %lld; 0 to %lld, the length of axis %zu, are "
                                "allowed",
                                k.count == 1 ? (long long)k.items[0] : -1LL,
                                (long long)x->dims[axis], axis);
  *s = (selecting){ .a = crd__graph_plain_along(x, axis),
                    .axis = axis,
                    .k = (size_t)k.items[0],
                    .least = !crd__graph_node_int(node, "largest", 1) };
  return CRD_OK;
}

static crd_status top_k_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  crd__graph_shape out = crd__graph_shape_of(x);
  selecting s;
  CRD_TRY(read_top_k(ctx, net, node, &s));
  out.dims[s.axis] = (int64_t)s.k;
  CRD_TRY(crd__graph_node_set(ctx, net, node, 0, s.a.dtype, out.rank, out.dims));
  return crd__graph_node_set(ctx, net, node, 1, CRD_I64, out.rank, out.dims);
}

static crd_status run(crd_context *ctx, const crd__engine_step *step) {
  const selecting *const s = step->self;
  (void)ctx;
  crd__kernel_topk(step->threads, &s->a, s->k, s->least, step->memory[0],
                   step->memory[step->count - 2], step->memory[step->count - 1]);
  return CRD_OK;
}

/* The backward pass reads the positions: no later node may overwrite them before. */
static crd_status top_k_plan(crd_context *ctx, crd__engine_plan *p, const crd__graph_node *node) {
  selecting s;
  CRD_TRY(read_top_k(ctx, crd__graph_plan_net(p), node, &s));
  if (node->back) crd__engine_plan_hold(p, node->outputs[1]);
  return crd__graph_plain_plan(ctx, p, node, run, &s, sizeof s);
}

/* ---- Backward pass: the gradient of a value goes to its position. */

typedef struct {
  crd__kernel_index g;
  size_t bytes; /* of the input */
} returning;

static crd_status run_back(crd_context *ctx, const crd__engine_step *step) {
  returning r = *(const returning *)step->self;
  (void)ctx;
  r.g.index = step->memory[0];
  memset(step->memory[2], 0, r.bytes);
  crd__kernel_index_scatter(step->threads, &r.g, CRD__SCATTER_NONE, step->memory[1],
                            step->memory[2]);
  return CRD_OK;
}

static crd_status top_k_backward(crd_context *ctx, crd__graph_backward *back,
                                 const crd__graph_node *node) {
  crd__engine_plan *const plan = crd__graph_backward_plan(back);
  const crd__graph *const net = crd__graph_plan_net(plan);
  selecting s;
  CRD_TRY(read_top_k(ctx, net, node, &s));
  const returning r = { .bytes = crd__engine_tensor_bytes(crd__graph_node_input(net, node, 0)),
                        .g = { .dtype = CRD_F32,
                               .index_type = CRD_I64,
                               .rank = 2,
                               .dims = { s.a.outer, s.a.inner },
                               .tuples = { s.k * s.a.inner, 1 },
                               .bases = { s.a.length * s.a.inner, 1 },
                               .count = s.k,
                               .step = s.a.inner,
                               .depth = 1,
                               .lengths = { s.a.length },
                               .strides = { s.a.inner },
                               .inner = 1 } };
  const crd_status status =
      crd__graph_plain_back(ctx, back, node, 0,
                            &(crd__graph_plain_step){ .run = run_back,
                                                      .self = &r,
                                                      .size = sizeof r,
                                                      .count = 1,
                                                      .read = { node->outputs[1] } });
  crd__engine_plan_release(plan, node->outputs[1]);
  return status;
}

static const crd__graph_op_attribute attributes[] = {
  { "axis", CRD__ATTRIBUTE_INT },
  { "k", CRD__ATTRIBUTE_INT },
  { "largest", CRD__ATTRIBUTE_INT },
  { "sorted", CRD__ATTRIBUTE_INT },
  { .name = NULL },
};

const crd__graph_op crd__graph_op_top_k = {
  .info = { "TopK", "any numeric type; k must not depend on data", 1, CRD__OPSET, 1, 1 },
  .inputs_least = 1,
  .inputs_most = 2,
  .outputs_least = 2,
  .outputs_most = 2,
  .attributes = attributes,
  .infer = top_k_infer,
  .plan = top_k_plan,
  .backward = top_k_backward,
};

/* map.c -- see map.h. */
#include "graph/op/map.h"
#include "engine/kernel/slope.h"

typedef struct {
  crd__kernel_unary_id id;
  double a, b;
  crd_dtype dtype;
  size_t count;
} mapping;

crd_status crd__graph_unary_infer(crd_context *ctx, crd__graph *net, const crd__graph_node *node,
                                  crd__kernel_unary_id id) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  if (!crd__kernel_unary_takes(id, x->dtype))
    return crd__graph_node_fail(ctx, node, "its input is %s, for which it is not defined",
                                crd_dtype_name(x->dtype));
  return crd__graph_node_set_like(ctx, net, node, 0, 0);
}

static crd_status run(crd_context *ctx, const crd__engine_step *step) {
  const mapping *const m = step->self;
  (void)ctx;
  crd__kernel_unary(step->threads, m->id, m->a, m->b, m->dtype, m->count, step->memory[0],
                    step->memory[1]);
  return CRD_OK;
}

/* Find the source. Padding of blocked layouts must stay 0, which not every function ensures: such
 * arrays are reordered. */
static crd_status find_source(crd_context *ctx, crd__engine_plan *plan, int tensor, int *place) {
  const crd__engine_tensor *const x = &crd__graph_plan_net(plan)->engine.tensors[tensor];
  crd__engine_layout layout;
  if (x->dtype == CRD_F32) {
    CRD_TRY(crd__engine_plan_find(ctx, plan, tensor, place));
    CRD_TRY(crd__engine_plan_layout(ctx, plan, *place, &layout));
    if (crd__engine_layout_bytes(layout) == crd__engine_tensor_bytes(x)) return CRD_OK;
  }
  return crd__engine_plan_plain(ctx, plan, tensor, place);
}

crd_status crd__graph_unary_plan(crd_context *ctx, crd__engine_plan *plan,
                                 const crd__graph_node *node, crd__kernel_unary_id id, double a,
                                 double b) {
  const crd__engine_tensor *const x = crd__graph_node_input(crd__graph_plan_net(plan), node, 0);
  const mapping m = { id, a, b, x->dtype, crd__engine_tensor_count(x) };
  int places[2];
  CRD_TRY(find_source(ctx, plan, node->inputs[0], &places[0]));
  CRD_TRY(crd__engine_plan_output_over(ctx, plan, node->outputs[0], places[0], node->inputs[0],
                                       &places[1]));
  return crd__engine_plan_step(ctx, plan, node, run, &m, sizeof m, 2, places);
}

/* ---- Backward pass. */

typedef struct {
  crd__kernel_unary_id id;
  double a, b;
  bool from_y;
  size_t count;
} sloping;

static crd_status run_back(crd_context *ctx, const crd__engine_step *step) {
  const sloping *const s = step->self;
  (void)ctx;
  crd__kernel_slope(step->threads, s->id, s->a, s->b, s->from_y, s->count, step->memory[0],
                    step->memory[1], step->memory[2]);
  return CRD_OK;
}

crd_status crd__graph_unary_backward(crd_context *ctx, crd__graph_backward *back,
                                     const crd__graph_node *node, crd__kernel_unary_id id, double a,
                                     double b, bool from_y) {
  crd__engine_plan *const plan = crd__graph_backward_plan(back);
  const int given = from_y ? node->outputs[0] : node->inputs[0];
  const int incoming = crd__graph_backward_incoming(back, node, 0);
  const sloping s = { id, a, b, from_y,
                      crd__engine_tensor_count(&crd__graph_plan_net(plan)->engine.tensors[given]) };
  int places[3], result;
  crd__engine_layout layout;
  CRD_TRY(find_source(ctx, plan, given, &places[0]));
  CRD_TRY(crd__engine_plan_layout(ctx, plan, places[0], &layout));
  CRD_TRY(crd__engine_plan_as(ctx, plan, incoming, layout, &places[1]));
  CRD_TRY(crd__graph_backward_tensor(ctx, back, node, 0, &result));
  CRD_TRY(crd__engine_plan_output_over(ctx, plan, result, places[1], incoming, &places[2]));
  CRD_TRY(crd__engine_plan_step(ctx, plan, node, run_back, &s, sizeof s, 3, places));
  return crd__graph_backward_give(ctx, back, node, 0, result);
}

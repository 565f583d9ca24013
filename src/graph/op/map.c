/* map.c -- see map.h. */
#include "graph/op/map.h"
#include "engine/kernel/slope.h"

typedef struct {
  crd__unary_id id;
  double a, b;
  crd_dtype dtype;
  size_t count;
} mapping;

crd_status crd__map_infer(crd_context *ctx, crd__net *net, const crd__node *node,
                          crd__unary_id id) {
  const crd__tensor *const x = crd__node_input(net, node, 0);
  if (!crd__unary_takes(id, x->dtype))
    return crd__node_fail(ctx, node, "its input is %s, for which it is not defined",
                          crd_dtype_name(x->dtype));
  return crd__node_set_like(ctx, net, node, 0, 0);
}

static crd_status run(crd_context *ctx, const crd__step *step) {
  const mapping *const m = step->self;
  (void)ctx;
  crd__unary(step->threads, m->id, m->a, m->b, m->dtype, m->count, step->memory[0],
             step->memory[1]);
  return CRD_OK;
}

/* Padding among the numbers must stay 0, and no function is asked whether it keeps that. */
static crd_status find_source(crd_context *ctx, crd__plan *plan, int tensor, int *place) {
  const crd__tensor *const x = &crd__plan_net(plan)->engine.tensors[tensor];
  crd__form form;
  if (x->dtype == CRD_F32) {
    CRD_TRY(crd__plan_find(ctx, plan, tensor, place));
    CRD_TRY(crd__plan_form(ctx, plan, *place, &form));
    if (crd__form_bytes(form) == crd__tensor_bytes(x)) return CRD_OK;
  }
  return crd__plan_plain(ctx, plan, tensor, place);
}

crd_status crd__map_plan(crd_context *ctx, crd__plan *plan, const crd__node *node, crd__unary_id id,
                         double a, double b) {
  const crd__tensor *const x = crd__node_input(crd__plan_net(plan), node, 0);
  const mapping m = { id, a, b, x->dtype, crd__tensor_count(x) };
  int places[2];
  CRD_TRY(find_source(ctx, plan, node->inputs[0], &places[0]));
  CRD_TRY(
      crd__plan_output_over(ctx, plan, node->outputs[0], places[0], node->inputs[0], &places[1]));
  return crd__plan_step(ctx, plan, node, run, &m, sizeof m, 2, places);
}

/* ---- Back. */

typedef struct {
  crd__unary_id id;
  double a, b;
  bool from_y;
  size_t count;
} sloping;

static crd_status run_back(crd_context *ctx, const crd__step *step) {
  const sloping *const s = step->self;
  (void)ctx;
  crd__slope(step->threads, s->id, s->a, s->b, s->from_y, s->count, step->memory[0],
             step->memory[1], step->memory[2]);
  return CRD_OK;
}

crd_status crd__map_backward(crd_context *ctx, crd__back *back, const crd__node *node,
                             crd__unary_id id, double a, double b, bool from_y) {
  crd__plan *const plan = crd__back_plan(back);
  const int given = from_y ? node->outputs[0] : node->inputs[0];
  const int incoming = crd__back_incoming(back, node, 0);
  const sloping s = { id, a, b, from_y,
                      crd__tensor_count(&crd__plan_net(plan)->engine.tensors[given]) };
  int places[3], result;
  crd__form form;
  CRD_TRY(find_source(ctx, plan, given, &places[0]));
  CRD_TRY(crd__plan_form(ctx, plan, places[0], &form));
  CRD_TRY(crd__plan_as(ctx, plan, incoming, form, &places[1]));
  CRD_TRY(crd__back_tensor(ctx, back, node, 0, &result));
  CRD_TRY(crd__plan_output_over(ctx, plan, result, places[1], incoming, &places[2]));
  CRD_TRY(crd__plan_step(ctx, plan, node, run_back, &s, sizeof s, 3, places));
  return crd__back_give(ctx, back, node, 0, result);
}

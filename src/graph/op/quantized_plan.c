/* quantized_plan.c -- the steps of operators on quantised tensors, see quantized.h. */
#include "engine/kernel/element.h"
#include "graph/op/plain.h"
#include "graph/op/quantized.h"

typedef struct {
  crd__kernel_quantization q;
  bool scale, zero; /* are among the operands of the step, in this order, after the values */
} converting;

static crd_status run_dequantize(crd_context *ctx, const crd__engine_step *step) {
  const converting *const c = step->self;
  crd__kernel_quantization q = c->q;
  (void)ctx;
  q.scale = c->scale ? step->memory[1] : NULL;
  q.zero = c->zero ? step->memory[1 + c->scale] : NULL;
  crd__kernel_dequantize(step->threads, &q, step->memory[0], step->memory[step->count - 1]);
  return CRD_OK;
}

static crd_status run_quantize(crd_context *ctx, const crd__engine_step *step) {
  const converting *const c = step->self;
  crd__kernel_quantization q = c->q;
  (void)ctx;
  q.scale = step->memory[1];
  q.zero = c->zero ? step->memory[2] : NULL;
  crd__kernel_quantize(step->threads, &q, step->memory[0], step->memory[step->count - 1]);
  return CRD_OK;
}

/* Find the place of an input that may be left out, and count it. */
static crd_status add_place(crd_context *ctx, crd__engine_plan *plan, const crd__graph_node *node,
                            int index, int *places, size_t *count) {
  if (!crd__graph_quantized_input(crd__graph_plan_net(plan), node, index)) return CRD_OK;
  return crd__engine_plan_plain(ctx, plan, node->inputs[index], &places[(*count)++]);
}

/* Plan the step that dequantises an operand of a node inside, unless that is a constant. */
static crd_status plan_operand(crd_context *ctx, crd__engine_plan *plan,
                               const crd__graph_node *node, size_t index, int tensor,
                               crd__kernel_part part) {
  const crd__graph *const net = crd__graph_plan_net(plan);
  const crd__graph_quantized_operand o = crd__graph_quantized_operand_at(node, index);
  const bool scaled = crd__graph_quantized_rule_of(node)->form == CRD__FORM_SCALED;
  converting c = { .scale = scaled && crd__graph_quantized_input(net, node, o.scale),
                   .zero = !o.passed && crd__graph_quantized_input(net, node, o.zero) };
  int places[4];
  size_t count = 0;
  if (o.passed || net->engine.tensors[tensor].constant) return CRD_OK;
  CRD_TRY(
      crd__graph_quantized_read(ctx, net, node, &o, net->engine.tensors[tensor].dtype, part, &c.q));
  CRD_TRY(add_place(ctx, plan, node, o.x, places, &count));
  if (c.scale) CRD_TRY(add_place(ctx, plan, node, o.scale, places, &count));
  CRD_TRY(add_place(ctx, plan, node, o.zero, places, &count));
  CRD_TRY(crd__engine_plan_output(ctx, plan, tensor, &places[count++]));
  return crd__engine_plan_step(ctx, plan, node, run_dequantize, &c, sizeof c, count, places);
}

static crd_status plan_inside(crd_context *ctx, crd__engine_plan *plan,
                              const crd__graph_node *node) {
  for (size_t p = 0; p < node->inside_count; p++) {
    const crd__graph_node *const inside = &node->inside[p];
    const crd__kernel_part part = node->inside_count == 1 ? CRD__PART_ALL
                                  : p                     ? CRD__PART_LOW
                                                          : CRD__PART_HIGH;
    for (size_t i = 0; i < (p ? 1 : inside->input_count); i++)
      CRD_TRY(plan_operand(ctx, plan, node, i, inside->inputs[i], i ? CRD__PART_ALL : part));
    for (size_t i = 0; i < node->inside[0].input_count; i++) /* until the last part is done */
      crd__engine_plan_hold(plan, inside->inputs[i]);
  }
  for (size_t p = 0; p < node->inside_count; p++)
    CRD_TRY(crd__graph_plan_node(ctx, plan, &node->inside[p]));
  return CRD_OK;
}

static crd_status plan_scaled(crd_context *ctx, crd__engine_plan *plan,
                              const crd__graph_node *node) {
  const crd__graph *const net = crd__graph_plan_net(plan);
  const crd__graph_quantized_rule *const r = crd__graph_quantized_rule_of(node);
  const crd__engine_tensor *const y = crd__graph_node_output(net, node, 0);
  const converting c = { .zero = crd__graph_quantized_input(net, node, r->y + 1),
                         .q = { .scales = crd__kernel_scales_one(crd__engine_tensor_count(y)),
                                .from = CRD_F32,
                                .to = y->dtype,
                                .scale_type = CRD_F32,
                                .zero_type = y->dtype,
                                .work = CRD_F32 } };
  int places[4];
  size_t count = 0;
  CRD_TRY(crd__engine_plan_plain(ctx, plan, node->inside->outputs[0], &places[count++]));
  CRD_TRY(add_place(ctx, plan, node, r->y, places, &count));
  CRD_TRY(add_place(ctx, plan, node, r->y + 1, places, &count));
  CRD_TRY(crd__engine_plan_output(ctx, plan, node->outputs[0], &places[count++]));
  return crd__engine_plan_step(ctx, plan, node, run_quantize, &c, sizeof c, count, places);
}

typedef struct {
  crd__kernel_requantization r;
  bool scale, zero; /* of the result, among the operands of the step */
} rescaling;

static crd_status run_product(crd_context *ctx, const crd__engine_step *step) {
  const rescaling *const s = step->self;
  crd__kernel_requantization r = s->r;
  (void)ctx;
  r.a = step->memory[1];
  r.b = step->memory[2];
  r.scale = s->scale ? step->memory[3] : NULL;
  r.zero = s->zero ? step->memory[4] : NULL;
  crd__kernel_requantize(step->threads, &r, step->memory[0], step->memory[step->count - 1]);
  return CRD_OK;
}

static crd_status plan_product(crd_context *ctx, crd__engine_plan *plan,
                               const crd__graph_node *node) {
  const crd__graph *const net = crd__graph_plan_net(plan);
  const crd__graph_quantized_rule *const rule = crd__graph_quantized_rule_of(node);
  const crd__engine_tensor *const y = crd__graph_node_output(net, node, 0);
  const crd__kernel_along a =
      y->rank ? crd__graph_plain_along(y, crd__graph_quantized_channel(rule, y->rank))
              : (crd__kernel_along){ .outer = 1, .length = 1, .inner = 1 };
  const rescaling s = {
    .scale = crd__graph_quantized_input(net, node, rule->y),
    .zero = crd__graph_quantized_input(net, node, rule->y) &&
            crd__graph_quantized_input(net, node, rule->y + 1),
    .r = { .outer = a.outer,
           .channels = a.length,
           .inner = a.inner,
           .alpha = crd__graph_node_float(node, "alpha", 1),
           .scale_type = crd__graph_quantized_input(net, node, rule->first + 1)->dtype,
           .b_step =
               crd__engine_tensor_count(crd__graph_quantized_input(net, node, rule->first + 4)) > 1,
           .to = y->dtype }
  };
  int places[6];
  size_t count = 0;
  CRD_TRY(crd__engine_plan_plain(ctx, plan, node->inside->outputs[0], &places[count++]));
  CRD_TRY(add_place(ctx, plan, node, rule->first + 1, places, &count));
  CRD_TRY(add_place(ctx, plan, node, rule->first + 4, places, &count));
  if (s.scale) CRD_TRY(add_place(ctx, plan, node, rule->y, places, &count));
  if (s.zero) CRD_TRY(add_place(ctx, plan, node, rule->y + 1, places, &count));
  CRD_TRY(crd__engine_plan_output(ctx, plan, node->outputs[0], &places[count++]));
  return crd__engine_plan_step(ctx, plan, node, run_product, &s, sizeof s, count, places);
}

typedef struct {
  crd_dtype dtype; /* of the sums */
  size_t count;
} joining;

/* Convert the sums to int32, and add those of the two parts. */
static crd_status run_join(crd_context *ctx, const crd__engine_step *step) {
  const joining *const j = step->self;
  int32_t *const y = step->memory[step->count - 1];
  const float *const high = step->memory[0], *const low = step->memory[1];
  (void)ctx;
  if (step->count == 2)
    crd__kernel_cast(step->threads, j->dtype, CRD_I32, j->count, step->memory[0], y);
  for (size_t i = 0; i < j->count && step->count > 2; i++)
    y[i] = (int32_t)high[i] * CRD__PART_BASE + (int32_t)low[i];
  return CRD_OK;
}

static crd_status plan_join(crd_context *ctx, crd__engine_plan *plan, const crd__graph_node *node) {
  const crd__graph *const net = crd__graph_plan_net(plan);
  const crd__engine_tensor *const sums = &net->engine.tensors[node->inside->outputs[0]];
  const joining j = { sums->dtype, crd__engine_tensor_count(sums) };
  int places[3];
  size_t count = 0;
  for (size_t p = 0; p < node->inside_count; p++)
    CRD_TRY(crd__engine_plan_plain(ctx, plan, node->inside[p].outputs[0], &places[count++]));
  CRD_TRY(crd__engine_plan_output(ctx, plan, node->outputs[0], &places[count++]));
  return crd__engine_plan_step(ctx, plan, node, run_join, &j, sizeof j, count, places);
}

crd_status crd__graph_quantized_plan(crd_context *ctx, crd__engine_plan *plan,
                                     const crd__graph_node *node) {
  static crd_status (*const forms[])(crd_context *, crd__engine_plan *, const crd__graph_node *) = {
    [CRD__FORM_SCALED] = plan_scaled,
    [CRD__FORM_PRODUCT] = plan_product,
    [CRD__FORM_INTEGER] = plan_join,
  };
  CRD_TRY(plan_inside(ctx, plan, node));
  return forms[crd__graph_quantized_rule_of(node)->form](ctx, plan, node);
}

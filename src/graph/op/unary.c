/*
 * unary.c -- the unary elementwise operators (unary.h): float32 by oneDNN if it has the function,
 * the rest by our own kernel. One line per operator at the end of the file; activation.c and
 * elementary.c have more of them.
 */
#include "graph/op/unary.h"
#include "engine/kernel/slope.h"
#include "engine/kernel/unary.h"

#include <float.h>
#include <math.h>

/* ---- The function of a node. */

/* Parameters of functions without attributes, and the attributes' defaults. oneDNN needs those of
 * hard_swish and neg; our kernel ignores them. */
static const struct {
  float alpha, beta;
} defaults[CRD__UNARY_COUNT] = {
  [CRD__UNARY_CELU] = { 1, 0 },
  [CRD__UNARY_ELU] = { 1, 0 },
  [CRD__UNARY_HARD_SIGMOID] = { .2F, .5F },
  [CRD__UNARY_HARD_SWISH] = { 1.F / 6, .5F },
  [CRD__UNARY_LEAKY_RELU] = { .01F, 0 },
  [CRD__UNARY_NEG] = { -1, 0 },
  [CRD__UNARY_SWISH] = { 1, 0 },
  [CRD__UNARY_THRESHOLDED_RELU] = { 1, 0 },
};

crd_status crd__graph_unary_function(crd_context *ctx, const crd__graph *net,
                                     const crd__graph_node *node, crd__engine_post_op *out) {
  const int id = node->op->kind;
  (void)ctx, (void)net;
  *out = (crd__engine_post_op){
    .function = id,
    .alpha = (double)crd__graph_node_float(node, "alpha", defaults[id].alpha),
    .beta = (double)crd__graph_node_float(node, "beta", defaults[id].beta),
  };
  return CRD_OK;
}

/* x Phi(x), with the normal distribution function Phi or its approximation by tanh. */
static crd_status gelu_function(crd_context *ctx, const crd__graph *net,
                                const crd__graph_node *node, crd__engine_post_op *out) {
  (void)net;
  const bool tanh = crd__graph_node_word_is(node, "approximate", "tanh", "none");
  if (!tanh && !crd__graph_node_word_is(node, "approximate", "none", "none"))
    return crd__graph_node_fail(ctx, node, "its 'approximate' is neither 'none' nor 'tanh'");
  *out = (crd__engine_post_op){ .function = tanh ? CRD__UNARY_GELU_TANH : CRD__UNARY_GELU };
  return CRD_OK;
}

/* To min .. max. Up to operator set 10 these are attributes, then inputs, which must be constants;
 * a bound that is left out does not apply. If min > max, the result is max. */
static crd_status clip_function(crd_context *ctx, const crd__graph *net,
                                const crd__graph_node *node, crd__engine_post_op *out) {
  double least = (double)crd__graph_node_float(node, "min", -FLT_MAX);
  double most = (double)crd__graph_node_float(node, "max", FLT_MAX);
  if (node->opset >= 11) {
    CRD_TRY(crd__graph_node_number_input(ctx, net, node, 1, -INFINITY, &least));
    CRD_TRY(crd__graph_node_number_input(ctx, net, node, 2, INFINITY, &most));
  }
  if (isnan(least) || isnan(most))
    return crd__graph_node_fail(ctx, node, "its %s is NaN", isnan(least) ? "least" : "most");
  *out = (crd__engine_post_op){ .function = CRD__UNARY_CLIP,
                                .alpha = least > most ? most : least,
                                .beta = most };
  return CRD_OK;
}

crd_status crd__graph_unary_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  crd__engine_post_op f;
  CRD_TRY(node->op->function(ctx, net, node, &f));
  if (!crd__kernel_unary_takes((crd__kernel_unary_id)f.function, x->dtype))
    return crd__graph_node_fail(ctx, node, "its input is %s, for which it is not defined",
                                crd_dtype_name(x->dtype));
  return crd__graph_node_set_like(ctx, net, node, 0, 0);
}

/* ---- Forward pass: in any layout, in place if the input has no other reader. */

typedef struct {
  crd__kernel_unary_id id;
  double a, b;
  crd_dtype dtype;
  size_t count;
  bool from_y; /* backward pass: the derivative is computed from the result */
} mapping;

static mapping mapping_of(const crd__engine_post_op *f, const crd__engine_tensor *x) {
  const crd__kernel_unary_id id = (crd__kernel_unary_id)f->function;
  return (mapping){ .id = id,
                    .a = f->alpha,
                    .b = f->beta,
                    .dtype = x->dtype,
                    .count = crd__engine_tensor_count(x),
                    .from_y = crd__kernel_slope_from_y(id, f->alpha) };
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

static crd_status plan_own(crd_context *ctx, crd__engine_plan *plan, const crd__graph_node *node,
                           const crd__engine_post_op *f) {
  const mapping m = mapping_of(f, crd__graph_node_input(crd__graph_plan_net(plan), node, 0));
  int places[2];
  CRD_TRY(find_source(ctx, plan, node->inputs[0], &places[0]));
  CRD_TRY(crd__engine_plan_output_over(ctx, plan, node->outputs[0], places[0], node->inputs[0],
                                       &places[1]));
  return crd__engine_plan_step(ctx, plan, node, run, &m, sizeof m, 2, places);
}

static crd_status plan_dnn(crd_context *ctx, crd__engine_plan *plan, const crd__graph_node *node,
                           const crd__engine_post_op *f) {
  crd__engine_plan_argument arguments[] = { { CRD__ARG_SRC, 0 }, { CRD__ARG_DST, 0 } };
  crd__engine_layout layout;
  crd__engine_primitive primitive;
  CRD_TRY(crd__engine_plan_find(ctx, plan, node->inputs[0], &arguments[0].place));
  CRD_TRY(crd__engine_plan_layout(ctx, plan, arguments[0].place, &layout));
  CRD_TRY(
      crd__engine_dnn_eltwise(ctx, crd__graph_plan_net(plan)->engine.dnn, f, layout, &primitive));
  CRD_TRY(crd__engine_plan_output_over(ctx, plan, node->outputs[0], arguments[0].place,
                                       node->inputs[0], &arguments[1].place));
  return crd__engine_plan_primitive(ctx, plan, node, &primitive, 2, arguments);
}

crd_status crd__graph_unary_plan(crd_context *ctx, crd__engine_plan *plan,
                                 const crd__graph_node *node) {
  const crd__graph *const net = crd__graph_plan_net(plan);
  const bool f32 = crd__graph_node_input(net, node, 0)->dtype == CRD_F32;
  crd__engine_post_op f;
  CRD_TRY(node->op->function(ctx, net, node, &f));
  return f32 && crd__engine_dnn_has_eltwise(&f) ? plan_dnn(ctx, plan, node, &f)
                                                : plan_own(ctx, plan, node, &f);
}

/* ---- Backward pass, in float32. */

static crd_status run_back(crd_context *ctx, const crd__engine_step *step) {
  const mapping *const m = step->self;
  (void)ctx;
  crd__kernel_slope(step->threads, m->id, m->a, m->b, m->from_y, m->count, step->memory[0],
                    step->memory[1], step->memory[2]);
  return CRD_OK;
}

static crd_status back_own(crd_context *ctx, crd__graph_backward *back, const crd__graph_node *node,
                           const crd__engine_post_op *f, int result) {
  crd__engine_plan *const plan = crd__graph_backward_plan(back);
  const mapping m = mapping_of(f, crd__graph_node_input(crd__graph_plan_net(plan), node, 0));
  const int incoming = crd__graph_backward_incoming(back, node, 0);
  int places[3];
  crd__engine_layout layout;
  CRD_TRY(find_source(ctx, plan, m.from_y ? node->outputs[0] : node->inputs[0], &places[0]));
  CRD_TRY(crd__engine_plan_layout(ctx, plan, places[0], &layout));
  CRD_TRY(crd__engine_plan_as(ctx, plan, incoming, layout, &places[1]));
  CRD_TRY(crd__engine_plan_output_over(ctx, plan, result, places[1], incoming, &places[2]));
  return crd__engine_plan_step(ctx, plan, node, run_back, &m, sizeof m, 3, places);
}

crd_status crd__graph_unary_backward(crd_context *ctx, crd__graph_backward *back,
                                     const crd__graph_node *node) {
  crd__engine_post_op f;
  int result;
  CRD_TRY(node->op->function(ctx, crd__graph_plan_net(crd__graph_backward_plan(back)), node, &f));
  CRD_TRY(crd__graph_backward_tensor(ctx, back, node, 0, &result));
  if (crd__engine_dnn_has_eltwise(&f))
    CRD_TRY(crd__graph_backward_eltwise(ctx, back, node, &f, result));
  else CRD_TRY(back_own(ctx, back, node, &f, result));
  return crd__graph_backward_give(ctx, back, node, 0, result);
}

/* ---- The operators. */

#define SIGNED "any signed numeric type"

static const crd__graph_op_attribute alpha[] = {
  { "alpha", CRD__ATTRIBUTE_FLOAT },
  { .name = NULL },
};
static const crd__graph_op_attribute alpha_beta[] = {
  { "alpha", CRD__ATTRIBUTE_FLOAT },
  { "beta", CRD__ATTRIBUTE_FLOAT },
  { .name = NULL },
};
static const crd__graph_op_attribute approximate[] = {
  { "approximate", CRD__ATTRIBUTE_STRING },
  { .name = NULL },
};
static const crd__graph_op_attribute bounds[] = {
  { "max", CRD__ATTRIBUTE_FLOAT },
  { "min", CRD__ATTRIBUTE_FLOAT },
  { .name = NULL },
};

#define UNARY(...) CRD__UNARY_ENTRY(crd__graph_unary_function, 1, __VA_ARGS__)

UNARY(relu, RELU, "Relu", SIGNED, 6, NULL, CRD__KEEP_Y); /* max(x, 0) */
UNARY(leaky_relu, LEAKY_RELU, "LeakyRelu", CRD__REALS, 6, alpha,
      CRD__KEEP_X | CRD__KEEP_Y); /* x if x >= 0, otherwise alpha x */
UNARY(sigmoid, SIGMOID, "Sigmoid", CRD__REALS, 6, NULL, CRD__KEEP_Y); /* 1 / (1 + exp(-x)) */
UNARY(tanh, TANH, "Tanh", CRD__REALS, 6, NULL, CRD__KEEP_Y);
UNARY(sqrt, SQRT, "Sqrt", CRD__REALS, 6, NULL, CRD__KEEP_Y); /* NaN if x < 0 */
UNARY(exp, EXP, "Exp", CRD__REALS, 6, NULL, CRD__KEEP_Y);
UNARY(log, LOG, "Log", CRD__REALS, 6, NULL, CRD__KEEP_X); /* NaN if x < 0 */
UNARY(neg, NEG, "Neg", SIGNED, 6, NULL, 0);
UNARY(erf, ERF, "Erf", CRD__REALS, 9, NULL, CRD__KEEP_X);
/* max(0, min(1, alpha x + beta)); x max(0, min(1, x / 6 + 1 / 2)) */
UNARY(hard_sigmoid, HARD_SIGMOID, "HardSigmoid", CRD__REALS, 6, alpha_beta, CRD__KEEP_Y);
UNARY(hard_swish, HARD_SWISH, "HardSwish", CRD__REALS, 14, NULL, CRD__KEEP_X);

CRD__UNARY_ENTRY(gelu_function, 1, gelu, GELU, "Gelu", "exact or approximated by tanh; " CRD__REALS,
                 20, approximate, CRD__KEEP_X);
CRD__UNARY_ENTRY(clip_function, 3, clip, CLIP, "Clip",
                 "any numeric type; bounds must not depend on data", 6, bounds, CRD__KEEP_Y);

/* predicate.c -- Not, IsNaN, IsInf and BitwiseNot; crd__graph_op.kind is a
 * crd__kernel_predicate_id. */
#include "engine/kernel/predicate.h"
#include "engine/kernel/element.h"
#include "graph/op/plain.h"

typedef struct {
  crd__kernel_predicate_id id;
  crd_dtype dtype;
  size_t count;
} asking;

static crd_status not_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  CRD_TRY(crd__graph_node_needs(ctx, net, node, 0, CRD_BOOL));
  return crd__graph_node_set_like(ctx, net, node, 0, 0);
}

static crd_status is_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  CRD_TRY(crd__graph_node_needs_reals(ctx, net, node));
  return crd__graph_node_set(ctx, net, node, 0, CRD_BOOL, x->rank, x->dims);
}

static crd_status bitwise_not_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  if (x->dtype == CRD_BOOL || crd__kernel_carrier_of(x->dtype) == CRD__REAL)
    return crd__graph_node_fail(ctx, node, "its input is %s; only integers are supported",
                                crd_dtype_name(x->dtype));
  return crd__graph_node_set_like(ctx, net, node, 0, 0);
}

static crd_status run(crd_context *ctx, const crd__engine_step *step) {
  const asking *const a = step->self;
  (void)ctx;
  crd__kernel_predicate(step->threads, a->id, a->dtype, a->count, step->memory[0], step->memory[1]);
  return CRD_OK;
}

/* Which infinities IsInf detects, by its attributes detect_positive and detect_negative. */
static crd__kernel_predicate_id infinity_of(const crd__graph_node *node) {
  const bool top = crd__graph_node_int(node, "detect_positive", 1);
  const bool bottom = crd__graph_node_int(node, "detect_negative", 1);
  return top && bottom ? CRD__IS_INFINITE
         : top         ? CRD__IS_TOP
         : bottom      ? CRD__IS_BOTTOM
                       : CRD__IS_NOTHING;
}

static crd_status predicate_plan(crd_context *ctx, crd__engine_plan *p,
                                 const crd__graph_node *node) {
  const crd__engine_tensor *const x = crd__graph_node_input(crd__graph_plan_net(p), node, 0);
  asking a = { .id = (crd__kernel_predicate_id)node->op->kind,
               .dtype = x->dtype,
               .count = crd__engine_tensor_count(x) };
  if (a.id == CRD__IS_INFINITE) a.id = infinity_of(node);
  return crd__graph_plain_plan(ctx, p, node, run, &a, sizeof a);
}

static const crd__graph_op_attribute detected[] = {
  { "detect_negative", CRD__ATTRIBUTE_INT },
  { "detect_positive", CRD__ATTRIBUTE_INT },
  { .name = NULL },
};

#define PREDICATE(entry, id, name, types, since, names, check)                                     \
  const crd__graph_op crd__graph_op_##entry = {                                                    \
    .info = { name, types, since, CRD__OPSET, 0, 0 },                                              \
    .kind = id,                                                                                    \
    .inputs_least = 1,                                                                             \
    .inputs_most = 1,                                                                              \
    .outputs_least = 1,                                                                            \
    .outputs_most = 1,                                                                             \
    .attributes = names,                                                                           \
    .infer = check,                                                                                \
    .plan = predicate_plan,                                                                        \
    .flat = true,                                                                                  \
  }

PREDICATE(not, CRD__NOT, "Not", "bool", 1, NULL, not_infer);
PREDICATE(is_nan, CRD__IS_NAN, "IsNaN", "f16, f32, f64", 9, NULL, is_infer);
PREDICATE(is_inf, CRD__IS_INFINITE, "IsInf", "f16, f32, f64", 10, detected, is_infer);
PREDICATE(bitwise_not, CRD__COMPLEMENT, "BitwiseNot", "integers", 18, NULL, bitwise_not_infer);

/* arg.c -- ArgMax and ArgMin: the position of the greatest or smallest element along an axis;
 * crd__graph_op.kind is 1 for the smallest. */
#include "engine/kernel/along.h"
#include "graph/op/plain.h"

typedef struct {
  crd__kernel_along a;
  bool least, last;
} searching;

static crd_status read_search(crd_context *ctx, const crd__graph *net, const crd__graph_node *node,
                              searching *s, size_t *axis) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  if (x->dtype == CRD_BOOL)
    return crd__graph_node_fail(ctx, node, "its input is bool, not numeric");
  CRD_TRY(crd__graph_node_axis(ctx, node, crd__graph_node_int(node, "axis", 0), x->rank, axis));
  if (x->dims[*axis] == 0)
    return crd__graph_node_fail(ctx, node, "dimension %zu of its input has no elements", *axis);
  *s = (searching){ .a = crd__graph_plain_along(x, *axis),
                    .least = node->op->kind,
                    .last = crd__graph_node_int(node, "select_last_index", 0) };
  return CRD_OK;
}

static crd_status arg_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  const bool keep = crd__graph_node_int(node, "keepdims", 1);
  searching s;
  size_t axis = 0, rank = 0;
  int64_t dims[CRD_RANK_MAX];
  CRD_TRY(read_search(ctx, net, node, &s, &axis));
  for (size_t i = 0; i < x->rank; i++)
    if (i != axis || keep) dims[rank++] = i == axis ? 1 : x->dims[i];
  return crd__graph_node_set(ctx, net, node, 0, CRD_I64, rank, dims);
}

static crd_status run(crd_context *ctx, const crd__engine_step *step) {
  const searching *const s = step->self;
  (void)ctx;
  crd__kernel_arg(step->threads, &s->a, s->least, s->last, step->memory[0], step->memory[1]);
  return CRD_OK;
}

static crd_status arg_plan(crd_context *ctx, crd__engine_plan *p, const crd__graph_node *node) {
  searching s;
  size_t axis = 0;
  CRD_TRY(read_search(ctx, crd__graph_plan_net(p), node, &s, &axis));
  return crd__graph_plain_plan(ctx, p, node, run, &s, sizeof s);
}

static const crd__graph_op_attribute attributes[] = {
  { "axis", CRD__ATTRIBUTE_INT },
  { "keepdims", CRD__ATTRIBUTE_INT },
  { "select_last_index", CRD__ATTRIBUTE_INT },
  { .name = NULL },
};

#define ARG(entry, minimum, name)                                                                  \
  const crd__graph_op crd__graph_op_##entry = {                                                    \
    .info = { name, "any numeric type", 1, CRD__OPSET, 0, 0 },                                     \
    .kind = minimum,                                                                               \
    .inputs_least = 1,                                                                             \
    .inputs_most = 1,                                                                              \
    .outputs_least = 1,                                                                            \
    .outputs_most = 1,                                                                             \
    .attributes = attributes,                                                                      \
    .infer = arg_infer,                                                                            \
    .plan = arg_plan,                                                                              \
    .flat = true,                                                                                  \
  }

ARG(arg_max, 0, "ArgMax");
ARG(arg_min, 1, "ArgMin");

/*
 * group_normalization.c -- GroupNormalization and InstanceNormalization:
 *
 *   y = (x - mean) / sqrt(variance + epsilon) scale + bias
 *
 * with mean and variance over a group of channels of one sample (kernel/group_norm.h); of
 * InstanceNormalization every channel is a group. GroupNormalization has one scale and bias for
 * each group up to operator set 20, and for each channel since.
 */
#include "engine/kernel/group_norm.h"
#include "graph/op/normalization.h"
#include "graph/op/plain.h"

enum { GROUP, INSTANCE }; /* values of crd__graph_op.kind */

static bool is_shared(const crd__graph_node *node) {
  return node->op->kind == GROUP && node->opset < 21;
}

static crd_status count_groups(crd_context *ctx, const crd__graph_node *node, int64_t channels,
                               int64_t *out) {
  *out = channels;
  if (node->op->kind == INSTANCE) return CRD_OK;
  if (!crd__graph_node_has(node, "num_groups"))
    return crd__graph_node_fail(ctx, node, "its attribute 'num_groups' is missing");
  *out = crd__graph_node_int(node, "num_groups", 0);
  if (*out < 1 || channels % *out != 0)
    return crd__graph_node_fail(ctx, node, "%lld channels cannot be divided into %lld groups",
                                (long long)channels, (long long)*out);
  return CRD_OK;
}

static crd_status group_normalization_infer(crd_context *ctx, crd__graph *net,
                                            crd__graph_node *node) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  int64_t groups = 0;
  CRD_TRY(crd__graph_node_needs_reals(ctx, net, node));
  if (x->rank < 2)
    return crd__graph_node_fail(ctx, node, "its input has %zu dimensions; at least 2 are needed",
                                x->rank);
  CRD_TRY(count_groups(ctx, node, x->dims[1], &groups));
  const size_t count = (size_t)(is_shared(node) ? groups : x->dims[1]);
  for (size_t i = 1; i < 3; i++) {
    const crd__engine_tensor *const t = crd__graph_node_input(net, node, i);
    CRD_TRY(crd__graph_node_needs(ctx, net, node, i, x->dtype));
    if (crd__engine_tensor_count(t) != count)
      return crd__graph_node_fail(ctx, node, "its input %zu has %zu elements, not %zu, one per %s",
                                  i, crd__engine_tensor_count(t), count,
                                  is_shared(node) ? "group" : "channel");
  }
  return crd__graph_node_set_like(ctx, net, node, 0, 0);
}

static crd_status read_norm(crd_context *ctx, const crd__graph *net, const crd__graph_node *node,
                            crd__kernel_group_norm *out) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  int64_t groups = 0;
  CRD_TRY(count_groups(ctx, node, x->dims[1], &groups));
  *out =
      (crd__kernel_group_norm){ .dtype = x->dtype,
                                .batch = (size_t)x->dims[0],
                                .groups = (size_t)groups,
                                .per = groups ? (size_t)(x->dims[1] / groups) : 0,
                                .inner = 1,
                                .shared = is_shared(node),
                                .epsilon = (double)crd__graph_node_float(node, "epsilon", 1e-5F) };
  for (size_t i = 2; i < x->rank; i++) out->inner *= (size_t)x->dims[i];
  return CRD_OK;
}

static crd_status run(crd_context *ctx, const crd__engine_step *step) {
  crd__kernel_group_norm norm = *(const crd__kernel_group_norm *)step->self;
  (void)ctx;
  norm.scale = step->memory[1];
  norm.shift = step->memory[2];
  crd__kernel_group_norm_run(step->threads, &norm, step->memory[0], step->memory[3]);
  return CRD_OK;
}

static crd_status group_normalization_plan(crd_context *ctx, crd__engine_plan *p,
                                           const crd__graph_node *node) {
  crd__kernel_group_norm norm;
  CRD_TRY(read_norm(ctx, crd__graph_plan_net(p), node, &norm));
  return crd__graph_plain_plan(ctx, p, node, run, &norm, sizeof norm);
}

/* ---- Backward pass. */

typedef struct {
  crd__kernel_group_norm norm;
  bool wants[3]; /* x, scale, bias */
} returning;

/* Memory: x, scale, dy, a workspace, then the gradients needed. */
static crd_status run_back(crd_context *ctx, const crd__engine_step *step) {
  const returning *const r = step->self;
  crd__kernel_group_norm norm = r->norm;
  size_t next = 4;
  (void)ctx;
  norm.scale = step->memory[1];
  crd__kernel_group_norm_arrays a = { .x = step->memory[0],
                                      .dy = step->memory[2],
                                      .sums = step->memory[3] };
  if (r->wants[0]) a.dx = step->memory[next++];
  if (r->wants[1]) a.dscale = step->memory[next++];
  if (r->wants[2]) a.dshift = step->memory[next++];
  crd__kernel_group_norm_back(step->threads, &norm, &a);
  return CRD_OK;
}

static crd_status group_normalization_backward(crd_context *ctx, crd__graph_backward *back,
                                               const crd__graph_node *node) {
  const crd__graph *const net = crd__graph_plan_net(crd__graph_backward_plan(back));
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  returning r;
  CRD_TRY(read_norm(ctx, net, node, &r.norm));
  return crd__graph_norm_backward(
      ctx, back, node,
      &(crd__graph_norm_step){ run_back, &r, sizeof r, r.wants, 2 * x->dims[0] * x->dims[1] });
}

/* Two sums, a difference and a product in each pass. */
static uint64_t group_normalization_flops(const crd__graph *net, const crd__graph_node *node) {
  return 7 * crd__engine_tensor_count(crd__graph_node_output(net, node, 0));
}

static const crd__graph_op_attribute group_attributes[] = {
  { "epsilon", CRD__ATTRIBUTE_FLOAT },
  { "num_groups", CRD__ATTRIBUTE_INT },
  { "stash_type", CRD__ATTRIBUTE_INT },
  { .name = NULL },
};
static const crd__graph_op_attribute instance_attributes[] = {
  { "epsilon", CRD__ATTRIBUTE_FLOAT },
  { .name = NULL },
};

#define NORMALIZATION(entry, id, name, detail, since, list)                                        \
  const crd__graph_op crd__graph_op_##entry = {                                                    \
    .info = { name, detail, since, CRD__OPSET, 1, 1 },                                             \
    .kind = id,                                                                                    \
    .inputs_least = 3,                                                                             \
    .inputs_most = 3,                                                                              \
    .outputs_least = 1,                                                                            \
    .outputs_most = 1,                                                                             \
    .attributes = list,                                                                            \
    .infer = group_normalization_infer,                                                            \
    .plan = group_normalization_plan,                                                              \
    .flops = group_normalization_flops,                                                            \
    .backward = group_normalization_backward,                                                      \
    .keep = CRD__KEEP_X | CRD__KEEP_X1,                                                            \
  }

NORMALIZATION(group_normalization, GROUP, "GroupNormalization",
              "f16, f32, f64; scale and bias per group (18) or per channel (21)", 18,
              group_attributes);
NORMALIZATION(instance_normalization, INSTANCE, "InstanceNormalization", "f16, f32, f64", 6,
              instance_attributes);

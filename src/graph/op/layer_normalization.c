/*
 * layer_normalization.c -- LayerNormalization over the dimensions from an axis on:
 *
 *   y = (x - mean) / sqrt(variance + epsilon) scale + shift
 *
 * and RMSNormalization, y = x / sqrt(mean(x^2) + epsilon) scale. oneDNN's is not vectorized; ours
 * is (kernel/norm.h).
 */
#include "engine/kernel/norm.h"
#include "graph/op/normalization.h"
#include "graph/op/plain.h"

enum { LAYER, RMS }; /* values of crd__graph_op.kind */

typedef struct {
  crd__kernel_layer_norm norm;
  bool shifted, mean, inverse; /* optional arguments that are present */
} norming;

static crd_status layer_normalization_infer(crd_context *ctx, crd__graph *net,
                                            crd__graph_node *node) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  int64_t dims[CRD_RANK_MAX];
  size_t axis = 0, n = 1;
  CRD_TRY(crd__graph_node_axis(ctx, node, crd__graph_node_int(node, "axis", -1), x->rank, &axis));
  CRD_TRY(crd__graph_node_needs_reals(ctx, net, node));
  for (size_t i = 0; i < x->rank; i++) {
    dims[i] = i < axis ? x->dims[i] : 1;
    if (i >= axis) n *= (size_t)x->dims[i];
  }
  for (size_t i = 1; i < 3; i++) {
    const crd__engine_tensor *const t = crd__graph_node_input(net, node, i);
    CRD_TRY(crd__graph_node_needs(ctx, net, node, i, x->dtype));
    if (t && crd__engine_tensor_count(t) != n)
      return crd__graph_node_fail(
          ctx, node, "its input %zu has %zu elements, not the %zu of a normalized slice", i,
          crd__engine_tensor_count(t), n);
  }
  CRD_TRY(crd__graph_node_set(ctx, net, node, 1, CRD_F32, x->rank, dims));
  CRD_TRY(crd__graph_node_set(ctx, net, node, 2, CRD_F32, x->rank, dims));
  return crd__graph_node_set_like(ctx, net, node, 0, 0);
}

static crd_status run(crd_context *ctx, const crd__engine_step *step) {
  const norming *const g = step->self;
  crd__kernel_layer_norm norm = g->norm;
  size_t next = 2;
  (void)ctx;
  norm.scale = step->memory[1];
  norm.shift = g->shifted ? step->memory[next++] : NULL;
  void *const y = step->memory[next++];
  float *const mean = g->mean ? step->memory[next++] : NULL;
  float *const inverse = g->inverse ? step->memory[next++] : NULL;
  crd__kernel_layer_norm_run(step->threads, &norm, step->memory[0], y, mean, inverse);
  return CRD_OK;
}

static crd_status read_norm(crd_context *ctx, const crd__graph *net, const crd__graph_node *node,
                            crd__kernel_layer_norm *norm) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  size_t axis = 0;
  CRD_TRY(crd__graph_node_axis(ctx, node, crd__graph_node_int(node, "axis", -1), x->rank, &axis));
  *norm =
      (crd__kernel_layer_norm){ .dtype = x->dtype,
                                .rows = 1,
                                .n = 1,
                                .rms = node->op->kind == RMS,
                                .epsilon = (double)crd__graph_node_float(node, "epsilon", 1e-5F) };
  for (size_t i = 0; i < x->rank; i++) *(i < axis ? &norm->rows : &norm->n) *= (size_t)x->dims[i];
  return CRD_OK;
}

static crd_status layer_normalization_plan(crd_context *ctx, crd__engine_plan *p,
                                           const crd__graph_node *node) {
  const crd__graph *const net = crd__graph_plan_net(p);
  norming g = { .shifted = crd__graph_node_input(net, node, 2) != NULL,
                .mean = crd__graph_node_output(net, node, 1) != NULL,
                .inverse = crd__graph_node_output(net, node, 2) != NULL };
  CRD_TRY(read_norm(ctx, net, node, &g.norm));
  return crd__graph_plain_plan(ctx, p, node, run, &g, sizeof g);
}

/* ---- Backward pass. */

typedef struct {
  crd__kernel_layer_norm norm;
  bool wants[3]; /* x, scale, shift */
} returning;

/* Memory: x, scale, dy, a buffer for moments, then the gradients needed. */
static crd_status run_back(crd_context *ctx, const crd__engine_step *step) {
  const returning *const r = step->self;
  crd__kernel_layer_norm norm = r->norm;
  size_t next = 4;
  (void)ctx;
  norm.scale = step->memory[1];
  crd__kernel_layer_norm_arrays a = { .x = step->memory[0],
                                      .dy = step->memory[2],
                                      .moments = step->memory[3] };
  if (r->wants[0]) a.dx = step->memory[next++];
  if (r->wants[1]) a.dscale = step->memory[next++];
  if (r->wants[2]) a.dshift = step->memory[next++];
  if (norm.n) crd__kernel_layer_norm_back(step->threads, &norm, &a);
  return CRD_OK;
}

static crd_status layer_normalization_backward(crd_context *ctx, crd__graph_backward *back,
                                               const crd__graph_node *node) {
  returning r;
  if (crd__graph_backward_incoming(back, node, 1) != CRD__NONE ||
      crd__graph_backward_incoming(back, node, 2) != CRD__NONE)
    return crd__graph_node_fail(
        ctx, node, "the gradient of its mean and inverse standard deviation is not supported");
  CRD_TRY(read_norm(ctx, crd__graph_plan_net(crd__graph_backward_plan(back)), node, &r.norm));
  return crd__graph_norm_backward(
      ctx, back, node,
      &(crd__graph_norm_step){ run_back, &r, sizeof r, r.wants, 2 * (int64_t)r.norm.rows });
}

/* Two sums, a difference and a product in each pass. */
static uint64_t layer_normalization_flops(const crd__graph *net, const crd__graph_node *node) {
  return 7 * crd__engine_tensor_count(crd__graph_node_output(net, node, 0));
}

static const crd__graph_op_attribute attributes[] = {
  { "axis", CRD__ATTRIBUTE_INT },
  { "epsilon", CRD__ATTRIBUTE_FLOAT },
  { "stash_type", CRD__ATTRIBUTE_INT },
  { .name = NULL },
};

#define NORMALIZATION(entry, id, name, detail, since, inputs, outputs)                             \
  const crd__graph_op crd__graph_op_##entry = {                                                    \
    .info = { name, detail, since, CRD__OPSET, 1, 1 },                                             \
    .kind = id,                                                                                    \
    .inputs_least = 2,                                                                             \
    .inputs_most = inputs,                                                                         \
    .outputs_least = 1,                                                                            \
    .outputs_most = outputs,                                                                       \
    .attributes = attributes,                                                                      \
    .infer = layer_normalization_infer,                                                            \
    .plan = layer_normalization_plan,                                                              \
    .flops = layer_normalization_flops,                                                            \
    .backward = layer_normalization_backward,                                                      \
    .keep = CRD__KEEP_X | CRD__KEEP_X1,                                                            \
  }

NORMALIZATION(layer_normalization, LAYER, "LayerNormalization",
              "f16, f32, f64; mean and inverse standard deviation as outputs", 17, 3, 3);
NORMALIZATION(rms_normalization, RMS, "RMSNormalization", "f16, f32, f64", 23, 2, 1);

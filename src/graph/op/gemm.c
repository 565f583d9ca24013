/*
 * gemm.c -- Gemm: alpha * A' B' + beta * C, where A' and B' may be transposed.
 *
 * With constant weights, alpha = beta = 1 and a bias for each column (a fully connected layer),
 * oneDNN keeps the weights in a layout of its own.
 */
#include "engine/kernel/element.h"
#include "engine/kernel/product.h"
#include "engine/kernel/walk.h"
#include "graph/op/product.h"
#include "graph/op/unbroadcast.h"

#include <math.h>

/* Integer matrices need integer factors. */
static crd_status check_factor(crd_context *ctx, const crd__graph_node *node, const char *name,
                               crd_dtype dtype) {
  const float factor = crd__graph_node_float(node, name, 1);
  if (crd__kernel_carrier_of(dtype) == CRD__REAL ||
      (factor == truncf(factor) && fabsf(factor) < 0x1p63F))
    return CRD_OK;
  return crd__graph_node_fail(ctx, node, "its '%s' is %g, which is not a value of %s", name,
                              (double)factor, crd_dtype_name(dtype));
}

static crd_status gemm_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  const crd__engine_tensor *const a = crd__graph_node_input(net, node, 0),
                                  *const b = crd__graph_node_input(net, node, 1);
  const crd__engine_tensor *const c = crd__graph_node_input(net, node, 2);
  const bool ta = crd__graph_node_int(node, "transA", 0),
             tb = crd__graph_node_int(node, "transB", 0);
  if (a->rank != 2 || b->rank != 2)
    return crd__graph_node_fail(ctx, node, "its factors have %zu and %zu dimensions, expected 2",
                                a->rank, b->rank);
  if (a->dims[!ta] != b->dims[tb])
    return crd__graph_node_fail(ctx, node,
                                "a matrix with %lld columns cannot be multiplied by one with "
                                "%lld rows",
                                (long long)a->dims[!ta], (long long)b->dims[tb]);
  const int64_t dims[] = { a->dims[ta], b->dims[!tb] };
  if (c) {
    size_t rank = 2;
    int64_t wide[CRD_RANK_MAX] = { dims[0], dims[1] };
    CRD_TRY(crd__graph_node_broadcast(ctx, node, c, &rank, wide));
    if (rank != 2 || wide[0] != dims[0] || wide[1] != dims[1])
      return crd__graph_node_fail(ctx, node, "its third input cannot be broadcast to the product");
  }
  if (a->dtype == CRD_BOOL)
    return crd__graph_node_fail(ctx, node, "its factors must be numeric, not bool");
  for (size_t i = 1; i < 3; i++) CRD_TRY(crd__graph_node_needs(ctx, net, node, i, a->dtype));
  CRD_TRY(check_factor(ctx, node, "alpha", a->dtype));
  CRD_TRY(check_factor(ctx, node, "beta", a->dtype));
  return crd__graph_node_set(ctx, net, node, 0, a->dtype, 2, dims);
}

/* True for a bias of one value per column, or none. */
static bool is_layer(const crd__graph *net, const crd__graph_node *node, crd__graph_layer *out) {
  const crd__engine_tensor *const a = crd__graph_node_input(net, node, 0),
                                  *const b = crd__graph_node_input(net, node, 1);
  const crd__engine_tensor *const c = crd__graph_node_input(net, node, 2);
  const bool tb = crd__graph_node_int(node, "transB", 0);
  const float alpha = crd__graph_node_float(node, "alpha", 1),
              beta = crd__graph_node_float(node, "beta", 1);
  *out = (crd__graph_layer){ .rows = a->dims[0],
                             .inner = a->dims[1],
                             .columns = b->dims[!tb],
                             .transposed = tb,
                             .bias = c ? node->inputs[2] : CRD__NONE };
  const bool bias =
      !c || (crd__engine_tensor_given(c) && c->rank && c->dims[c->rank - 1] == out->columns &&
             (int64_t)crd__engine_tensor_count(c) == out->columns);
  return b->dtype == CRD_F32 && crd__engine_tensor_given(b) && bias && out->inner > 0 &&
         !crd__graph_node_int(node, "transA", 0) && alpha == 1 && (beta == 1 || !c);
}

/* ---- The general case. */

static crd_status run_sum(crd_context *ctx, const crd__engine_step *step) {
  (void)ctx;
  crd__kernel_matrix_sum_run(step->self, step->memory[0], step->memory[1]);
  return CRD_OK;
}

static crd_status plan_sum(crd_context *ctx, crd__engine_plan *p, const crd__graph_node *node) {
  const crd__graph *const net = crd__graph_plan_net(p);
  const crd__engine_tensor *const c = crd__graph_node_input(net, node, 2);
  const crd__engine_tensor *const y = crd__graph_node_output(net, node, 0);
  int64_t strides[CRD_RANK_MAX];
  int places[2];
  crd__kernel_strides_broadcast(c->rank, c->dims, 2, strides);
  const crd__kernel_matrix_sum self = { .dtype = y->dtype,
                                        .rows = (size_t)y->dims[0],
                                        .columns = (size_t)y->dims[1],
                                        .beta = (double)crd__graph_node_float(node, "beta", 1),
                                        .row = strides[0],
                                        .column = strides[1] };
  CRD_TRY(crd__engine_plan_plain(ctx, p, node->inputs[2], &places[0]));
  CRD_TRY(crd__engine_plan_plain(ctx, p, node->outputs[0], &places[1]));
  return crd__engine_plan_step(ctx, p, node, run_sum, &self, sizeof self, 2, places);
}

static crd__graph_product product_of(const crd__graph *net, const crd__graph_node *node) {
  const crd__engine_tensor *const a = crd__graph_node_input(net, node, 0);
  const crd__engine_tensor *const b = crd__graph_node_input(net, node, 1);
  const crd__engine_tensor *const y = crd__graph_node_output(net, node, 0);
  const bool ta = crd__graph_node_int(node, "transA", 0),
             tb = crd__graph_node_int(node, "transB", 0);
  return (crd__graph_product){ .rank = 2,
                               .a = { a->dims[ta], a->dims[!ta] },
                               .b = { b->dims[tb], b->dims[!tb] },
                               .y = { y->dims[0], y->dims[1] },
                               .transpose_a = ta,
                               .transpose_b = tb,
                               .alpha = crd__graph_node_float(node, "alpha", 1) };
}

static crd_status gemm_plan(crd_context *ctx, crd__engine_plan *p, const crd__graph_node *node) {
  const crd__graph *const net = crd__graph_plan_net(p);
  crd__graph_layer layer;
  if (is_layer(net, node, &layer)) return crd__graph_layer_plan(ctx, p, node, &layer);
  const crd__graph_product product = product_of(net, node);
  CRD_TRY(crd__graph_product_plan(ctx, p, node, &product));
  return crd__graph_node_input(net, node, 2) ? plan_sum(ctx, p, node) : CRD_OK;
}

static crd_status gemm_backward(crd_context *ctx, crd__graph_backward *back,
                                const crd__graph_node *node) {
  const crd__graph_product product =
      product_of(crd__graph_plan_net(crd__graph_backward_plan(back)), node);
  CRD_TRY(crd__graph_product_backward(ctx, back, node, &product));
  if (!crd__graph_backward_wants(back, node, 2)) return CRD_OK;
  return crd__graph_unbroadcast_give_scaled(ctx, back, node, 2,
                                            crd__graph_backward_incoming(back, node, 0),
                                            crd__graph_node_float(node, "beta", 1));
}

static bool gemm_takes_after(const crd__graph *net, const crd__graph_node *node,
                             const crd__engine_post_op *after) {
  crd__graph_layer layer;
  (void)after;
  return is_layer(net, node, &layer);
}

static uint64_t gemm_flops(const crd__graph *net, const crd__graph_node *node) {
  const crd__engine_tensor *const a = crd__graph_node_input(net, node, 0);
  return 2 * crd__engine_tensor_count(crd__graph_node_output(net, node, 0)) *
         (uint64_t)a->dims[!crd__graph_node_int(node, "transA", 0)];
}

static const crd__graph_op_attribute attributes[] = {
  { "alpha", CRD__ATTRIBUTE_FLOAT },
  { "beta", CRD__ATTRIBUTE_FLOAT },
  { "broadcast", CRD__ATTRIBUTE_INT }, /* up to operator set 6; always on since */
  { "transA", CRD__ATTRIBUTE_INT },
  { "transB", CRD__ATTRIBUTE_INT },
  { .name = NULL },
};

const crd__graph_op crd__graph_op_gemm = {
  .info = { "Gemm", "any numeric type", 6, CRD__OPSET, 1, 1 },
  .inputs_least = 2,
  .inputs_most = 3,
  .outputs_least = 1,
  .outputs_most = 1,
  .attributes = attributes,
  .infer = gemm_infer,
  .plan = gemm_plan,
  .flops = gemm_flops,
  .takes_after = gemm_takes_after,
  .backward = gemm_backward,
  .keep = CRD__KEEP_X1,
  .keep_training = CRD__KEEP_X,
};

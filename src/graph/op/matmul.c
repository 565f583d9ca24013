/*
 * matmul.c -- MatMul: NumPy's matmul. The last two dimensions are matrices, those before are a
 * batch, which is broadcast; a vector is a row on the left and a column on the right, and that
 * dimension is dropped from the result.
 */
#include "graph/op/product.h"
#include "graph/op/unbroadcast.h"

/* Extend a, b and y to the same number of dimensions, with vectors as matrices. */
static crd_status align(crd_context *ctx, const crd__graph *net, const crd__graph_node *node,
                        crd__graph_product *out) {
  const crd__engine_tensor *const a = crd__graph_node_input(net, node, 0),
                                  *const b = crd__graph_node_input(net, node, 1);
  const size_t wide_a = a->rank > 2 ? a->rank : 2, wide_b = b->rank > 2 ? b->rank : 2;
  const size_t rank = wide_a > wide_b ? wide_a : wide_b;
  if (!a->rank || !b->rank)
    return crd__graph_node_fail(ctx, node,
                                "its factors have %zu and %zu dimensions; at least 1 is needed",
                                a->rank, b->rank);
  *out = (crd__graph_product){ .rank = rank, .alpha = 1 };
  for (size_t i = 0; i < rank; i++) out->a[i] = out->b[i] = 1;
  for (size_t i = 0; i < a->rank; i++) out->a[rank - a->rank + i] = a->dims[i];
  for (size_t i = 0; i < b->rank; i++) out->b[rank - b->rank + i] = b->dims[i];
  if (b->rank == 1) {
    out->b[rank - 2] = b->dims[0];
    out->b[rank - 1] = 1;
  }
  for (size_t i = 0; i + 2 < rank; i++) {
    if (out->a[i] != out->b[i] && out->a[i] != 1 && out->b[i] != 1)
      return crd__graph_node_fail(ctx, node,
                                  "cannot broadcast batches: %lld and %lld in dimension %zu",
                                  (long long)out->a[i], (long long)out->b[i], i);
    out->y[i] = out->a[i] == 1 ? out->b[i] : out->a[i];
  }
  out->y[rank - 2] = out->a[rank - 2];
  out->y[rank - 1] = out->b[rank - 1];
  if (out->a[rank - 1] != out->b[rank - 2])
    return crd__graph_node_fail(
        ctx, node, "a matrix with %lld columns cannot be multiplied by one with %lld rows",
        (long long)out->a[rank - 1], (long long)out->b[rank - 2]);
  return CRD_OK;
}

static crd_status matmul_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  crd__graph_product p;
  int64_t dims[CRD_RANK_MAX];
  size_t rank = 0;
  const crd_dtype dtype = crd__graph_node_input(net, node, 0)->dtype;
  if (dtype == CRD_BOOL)
    return crd__graph_node_fail(ctx, node, "its factors must be numeric, not bool");
  CRD_TRY(crd__graph_node_needs(ctx, net, node, 1, dtype));
  CRD_TRY(align(ctx, net, node, &p));
  for (size_t i = 0; i < p.rank; i++) {
    const bool vector_a = i == p.rank - 2 && crd__graph_node_input(net, node, 0)->rank == 1;
    const bool vector_b = i == p.rank - 1 && crd__graph_node_input(net, node, 1)->rank == 1;
    if (!vector_a && !vector_b) dims[rank++] = p.y[i];
  }
  return crd__graph_node_set(ctx, net, node, 0, dtype, rank, dims);
}

/* True for a product with one matrix: the batch is then merged into the rows. The matrix need not
 * be a constant: in training, exporters leave a Transpose before weights. */
static bool is_layer(const crd__graph *net, const crd__graph_node *node, crd__graph_layer *out) {
  const crd__engine_tensor *const a = crd__graph_node_input(net, node, 0);
  const crd__engine_tensor *const b = crd__graph_node_input(net, node, 1);
  if (b->dtype != CRD_F32 || b->rank != 2 || b->dims[0] <= 0) return false;
  *out = (crd__graph_layer){ .rows = (int64_t)crd__engine_tensor_count(a) / b->dims[0],
                             .inner = b->dims[0],
                             .columns = b->dims[1],
                             .bias = node->input_count > 2 ? node->inputs[2] : CRD__NONE };
  return true;
}

static bool matmul_takes_after(const crd__graph *net, const crd__graph_node *node,
                               const crd__engine_post_op *after) {
  crd__graph_layer layer;
  (void)after;
  return is_layer(net, node, &layer);
}

static crd_status matmul_plan(crd_context *ctx, crd__engine_plan *p, const crd__graph_node *node) {
  const crd__graph *const net = crd__graph_plan_net(p);
  crd__graph_product product;
  crd__graph_layer layer;
  if (is_layer(net, node, &layer)) return crd__graph_layer_plan(ctx, p, node, &layer);
  CRD_TRY(align(ctx, net, node, &product));
  return crd__graph_product_plan(ctx, p, node, &product);
}

static crd_status matmul_backward(crd_context *ctx, crd__graph_backward *back,
                                  const crd__graph_node *node) {
  const crd__graph *const net = crd__graph_plan_net(crd__graph_backward_plan(back));
  crd__graph_product product;
  crd__graph_layer layer;
  if (is_layer(net, node, &layer))
    product = (crd__graph_product){ .rank = 2,
                                    .a = { layer.rows, layer.inner },
                                    .b = { layer.inner, layer.columns },
                                    .y = { layer.rows, layer.columns },
                                    .alpha = 1 };
  else CRD_TRY(align(ctx, net, node, &product));
  CRD_TRY(crd__graph_product_backward(ctx, back, node, &product));
  if (!crd__graph_backward_wants(back, node, 2)) return CRD_OK; /* a fused bias */
  return crd__graph_unbroadcast_give(ctx, back, node, 2,
                                     crd__graph_backward_incoming(back, node, 0), NULL);
}

static uint64_t matmul_flops(const crd__graph *net, const crd__graph_node *node) {
  const crd__engine_tensor *const a = crd__graph_node_input(net, node, 0);
  return 2 * crd__engine_tensor_count(crd__graph_node_output(net, node, 0)) *
         (uint64_t)a->dims[a->rank - 1];
}

const crd__graph_op crd__graph_op_matmul = {
  .info = { "MatMul", "any numeric type; batches are broadcast", 1, CRD__OPSET, 1, 1 },
  .inputs_least = 2,
  .inputs_most = 2,
  .outputs_least = 1,
  .outputs_most = 1,
  .infer = matmul_infer,
  .plan = matmul_plan,
  .flops = matmul_flops,
  .takes_after = matmul_takes_after,
  .backward = matmul_backward,
  .keep = CRD__KEEP_X | CRD__KEEP_X1,
};

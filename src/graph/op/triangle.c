/*
 * triangle.c -- Trilu, the upper or lower triangle of matrices, and EyeLike, a matrix with ones on
 * a diagonal. The shape of EyeLike's input is all it reads: once that is known the input is
 * dropped, so that the matrix is a constant.
 */
#include "engine/kernel/element.h"
#include "engine/kernel/tile.h"
#include "graph/op/plain.h"
#include "onnx/reader.h"

#include <string.h>

/* ---- Trilu. */

static crd_status read_triangle(crd_context *ctx, const crd__graph *net,
                                const crd__graph_node *node, crd__kernel_triangle *out) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  crd__graph_list k;
  CRD_TRY(crd__graph_node_list_input(ctx, net, node, 1, &k));
  if (x->rank < 2)
    return crd__graph_node_fail(ctx, node, "its input has %zu dimensions; at least 2 are needed",
                                x->rank);
  if (k.given && k.count != 1)
    return crd__graph_node_fail(ctx, node, "its input 1 has %zu elements, expected 1", k.count);
  *out = (crd__kernel_triangle){ .count = 1,
                                 .rows = (size_t)x->dims[x->rank - 2],
                                 .columns = (size_t)x->dims[x->rank - 1],
                                 .size = crd_dtype_size(x->dtype),
                                 .k = k.given ? k.items[0] : 0,
                                 .lower = !crd__graph_node_int(node, "upper", 1) };
  for (size_t d = 0; d + 2 < x->rank; d++) out->count *= (size_t)x->dims[d];
  const int64_t most = x->dims[x->rank - 2] + x->dims[x->rank - 1]; /* beyond it, all or nothing */
  if (out->k > most) out->k = most;
  if (out->k < -most) out->k = -most;
  return CRD_OK;
}

static crd_status trilu_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  crd__kernel_triangle t;
  CRD_TRY(read_triangle(ctx, net, node, &t));
  return crd__graph_node_set_like(ctx, net, node, 0, 0);
}

/* Memory: x, and the result last. */
static crd_status run(crd_context *ctx, const crd__engine_step *step) {
  (void)ctx;
  crd__kernel_trilu(step->threads, step->self, step->memory[0], step->memory[step->count - 1]);
  return CRD_OK;
}

static crd_status trilu_plan(crd_context *ctx, crd__engine_plan *p, const crd__graph_node *node) {
  crd__kernel_triangle t;
  CRD_TRY(read_triangle(ctx, crd__graph_plan_net(p), node, &t));
  return crd__graph_plain_plan(ctx, p, node, run, &t, sizeof t);
}

static crd_status trilu_backward(crd_context *ctx, crd__graph_backward *back,
                                 const crd__graph_node *node) {
  crd__kernel_triangle t;
  CRD_TRY(read_triangle(ctx, crd__graph_plan_net(crd__graph_backward_plan(back)), node, &t));
  return crd__graph_plain_back(
      ctx, back, node, 0,
      &(crd__graph_plain_step){ .run = run, .self = &t, .size = sizeof t, .over = true });
}

static const crd__graph_op_attribute upper[] = {
  { "upper", CRD__ATTRIBUTE_INT },
  { .name = NULL },
};

const crd__graph_op crd__graph_op_trilu = {
  .info = { "Trilu", "any type; the diagonal must not depend on data", 14, CRD__OPSET, 1, 1 },
  .inputs_least = 1,
  .inputs_most = 2,
  .outputs_least = 1,
  .outputs_most = 1,
  .attributes = upper,
  .infer = trilu_infer,
  .plan = trilu_plan,
  .flops = crd__graph_plain_flops,
  .backward = trilu_backward,
};

/* ---- EyeLike. */

typedef struct {
  crd_dtype dtype;
  int64_t rows, columns, k;
} diagonal;

static crd_status eye_like_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  crd_dtype dtype = crd__engine_tensor_type(x);
  const int64_t given = crd__graph_node_int(node, "dtype", 0);
  if (x->rank != 2)
    return crd__graph_node_fail(ctx, node, "its input has %zu dimensions, expected 2", x->rank);
  if (crd__graph_node_has(node, "dtype") && !crd__onnx_dtype(given, &dtype))
    return crd__graph_node_fail(ctx, node, "its 'dtype' is ONNX type %lld, which is not supported",
                                (long long)given);
  node->input_count = 0;
  return crd__graph_node_set(ctx, net, node, 0, dtype, x->rank, x->dims);
}

static crd_status run_eye(crd_context *ctx, const crd__engine_step *step) {
  const diagonal *const d = step->self;
  const size_t size = crd_dtype_size(d->dtype);
  crd__kernel_block one;
  (void)ctx;
  one.real[0] = 1;
  crd__kernel_block_convert(CRD_F64, d->dtype, 1, &one);
  memset(step->memory[0], 0, (size_t)(d->rows * d->columns) * size);
  for (int64_t i = 0; i < d->rows; i++)
    if (d->k >= -i && d->k < d->columns - i)
      crd__kernel_block_store(d->dtype, 1, &one,
                              (char *)step->memory[0] + (size_t)(i * d->columns + i + d->k) * size,
                              1);
  return CRD_OK;
}

static crd_status eye_like_plan(crd_context *ctx, crd__engine_plan *p,
                                const crd__graph_node *node) {
  const crd__engine_tensor *const y = crd__graph_node_output(crd__graph_plan_net(p), node, 0);
  const diagonal d = { y->dtype, y->dims[0], y->dims[1], crd__graph_node_int(node, "k", 0) };
  return crd__graph_plain_plan(ctx, p, node, run_eye, &d, sizeof d);
}

static const crd__graph_op_attribute dtype_k[] = {
  { "dtype", CRD__ATTRIBUTE_INT },
  { "k", CRD__ATTRIBUTE_INT },
  { .name = NULL },
};

const crd__graph_op crd__graph_op_eye_like = {
  .info = { "EyeLike", "any type", 9, CRD__OPSET, 0, 0 },
  .inputs_least = 1,
  .inputs_most = 1,
  .outputs_least = 1,
  .outputs_most = 1,
  .attributes = dtype_k,
  .typed = true,
  .infer = eye_like_infer,
  .plan = eye_like_plan,
  .flops = crd__graph_plain_flops,
  .flat = true,
};

/*
 * select.c -- NonZero, the indices of elements that are not 0, and Compress, the elements for which
 * a condition is true. Their shapes depend on values, which must be constants.
 */
#include "graph/op/plain.h"

#include <string.h>

static crd_status need_constant(crd_context *ctx, const crd__graph_node *node, size_t index,
                                const crd__engine_tensor *tensor) {
  if (tensor->constant) return CRD_OK;
  return crd__graph_node_fail(ctx, node,
                              "its input %zu ('%.60s') depends on the data of a run, and the shape "
                              "of the result on its values: only constants are supported",
                              index, tensor->name);
}

static bool is_zero(const crd__engine_tensor *tensor, size_t index) {
  return crd__engine_tensor_number(tensor, index) == 0;
}

/* ---- NonZero: one row for each dimension, one column for each element. */

static crd_status nonzero_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  const crd__engine_tensor x = *crd__graph_node_input(net, node, 0);
  const size_t rank = x.rank ? x.rank : 1, total = crd__engine_tensor_count(&x);
  int64_t dims[] = { (int64_t)rank, 0 }, *values;
  CRD_TRY(need_constant(ctx, node, 0, &x));
  for (size_t i = 0; i < total; i++) dims[1] += !is_zero(&x, i);
  CRD_TRY(crd__graph_node_set(ctx, net, node, 0, CRD_I64, 2, dims));
  CRD_TRY(
      crd__engine_memory(ctx, &net->engine, rank * (size_t)dims[1] + 1, sizeof *values, &values));
  size_t found = 0;
  for (size_t i = 0; i < total; i++) {
    size_t rest = i;
    if (is_zero(&x, i)) continue;
    for (size_t d = x.rank; d-- > 0; rest /= (size_t)x.dims[d])
      values[d * (size_t)dims[1] + found] = (int64_t)(rest % (size_t)x.dims[d]);
    found++;
  }
  net->engine.tensors[node->outputs[0]].constant = values;
  return CRD_OK;
}

const crd__graph_op crd__graph_op_nonzero = {
  .info = { "NonZero", "any type; constants only", 9, CRD__OPSET, 0, 0 },
  .inputs_least = 1,
  .inputs_most = 1,
  .outputs_least = 1,
  .outputs_most = 1,
  .infer = nonzero_infer,
  .flops = crd__graph_plain_flops,
  .flat = true,
};

/* ---- Compress: slices along an axis, or elements of the flattened array. */

static crd_status compress_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  const crd__engine_tensor x = *crd__graph_node_input(net, node, 0);
  const crd__engine_tensor condition = *crd__graph_node_input(net, node, 1);
  const bool flat = !crd__graph_node_has(node, "axis");
  crd__graph_shape out = flat ? (crd__graph_shape){ .rank = 1 } : crd__graph_shape_of(&x);
  size_t axis = 0, before = 1, after = crd_dtype_size(x.dtype), chosen = 0;
  char *values;
  for (size_t i = 0; i < 2; i++)
    CRD_TRY(need_constant(ctx, node, i, crd__graph_node_input(net, node, i)));
  CRD_TRY(crd__graph_node_needs(ctx, net, node, 1, CRD_BOOL));
  if (!flat)
    CRD_TRY(crd__graph_node_axis(ctx, node, crd__graph_node_int(node, "axis", 0), x.rank, &axis));
  const size_t length = flat ? crd__engine_tensor_count(&x) : (size_t)x.dims[axis];
  for (size_t d = 0; d < x.rank && !flat; d++) {
    before *= d < axis ? (size_t)x.dims[d] : 1;
    after *= d > axis ? (size_t)x.dims[d] : 1;
  }
  const size_t conditions = crd__engine_tensor_count(&condition);
  if (condition.rank != 1 || conditions > length)
    return crd__graph_node_fail(
        ctx, node,
        "its condition has %zu dimensions and %zu elements; a list of at most %zu is "
        "allowed",
        condition.rank, conditions, length);
  for (size_t i = 0; i < conditions; i++) chosen += !is_zero(&condition, i);
  out.dims[axis] = (int64_t)chosen;
  CRD_TRY(crd__graph_node_set(ctx, net, node, 0, x.dtype, out.rank, out.dims));
  CRD_TRY(crd__engine_memory(ctx, &net->engine, before * chosen * after + 1, 1, &values));
  net->engine.tensors[node->outputs[0]].constant = values;
  for (size_t k = 0; k < before; k++)
    for (size_t i = 0; i < conditions; i++) {
      if (is_zero(&condition, i)) continue;
      memcpy(values, (const char *)x.constant + (k * length + i) * after, after);
      values += after;
    }
  return CRD_OK;
}

static const crd__graph_op_attribute attributes[] = {
  { "axis", CRD__ATTRIBUTE_INT },
  { .name = NULL },
};

const crd__graph_op crd__graph_op_compress = {
  .info = { "Compress", "any type; constants only", 9, CRD__OPSET, 0, 0 },
  .inputs_least = 2,
  .inputs_most = 2,
  .outputs_least = 1,
  .outputs_most = 1,
  .attributes = attributes,
  .infer = compress_infer,
  .flops = crd__graph_plain_flops,
  .flat = true,
};

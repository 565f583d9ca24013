/* node.c -- access to a node's tensors, attributes, integer lists, axes and shapes, for
 * operators. */
#include "data/array.h"
#include "graph/op.h"

#include <stdio.h>
#include <string.h>

#undef crd__graph_node_fail /* graph.h defines it as a macro, for clang-tidy */
crd_status crd__graph_node_fail(crd_context *ctx, const crd__graph_node *node, const char *format,
                                ...) {
  char text[768];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  const crd__graph_op *const op = node->named ? node->named : node->op;
  return crd__fail(ctx, CRD_EINPUT, "node '%.60s' (%s): %s", node->name, op ? op->info.name : "?",
                   text);
}

/* ---- Tensors. */

const crd__engine_tensor *crd__graph_node_input(const crd__graph *net, const crd__graph_node *node,
                                                size_t index) {
  if (index >= node->input_count || node->inputs[index] == CRD__NONE) return NULL;
  return &net->engine.tensors[node->inputs[index]];
}

const crd__engine_tensor *crd__graph_node_output(const crd__graph *net, const crd__graph_node *node,
                                                 size_t index) {
  if (index >= node->output_count || node->outputs[index] == CRD__NONE) return NULL;
  return &net->engine.tensors[node->outputs[index]];
}

static crd_array view_of(const crd__engine_tensor *tensor) {
  return crd_array_matrix(tensor->constant, tensor->dtype, crd__engine_tensor_count(tensor), 1);
}

/* ---- Attributes. */

const crd__onnx_attribute *crd__graph_node_attribute(const crd__graph_node *node,
                                                     const char *name) {
  for (size_t i = 0; i < node->attribute_count; i++)
    if (strcmp(node->attributes[i].name, name) == 0) return &node->attributes[i];
  return NULL;
}

bool crd__graph_node_has(const crd__graph_node *node, const char *attribute) {
  return crd__graph_node_attribute(node, attribute) != NULL;
}

int64_t crd__graph_node_int(const crd__graph_node *node, const char *attribute, int64_t fallback) {
  const crd__onnx_attribute *const a = crd__graph_node_attribute(node, attribute);
  return a ? a->i : fallback;
}

float crd__graph_node_float(const crd__graph_node *node, const char *attribute, float fallback) {
  const crd__onnx_attribute *const a = crd__graph_node_attribute(node, attribute);
  return a ? a->f : fallback;
}

bool crd__graph_node_word_is(const crd__graph_node *node, const char *attribute, const char *word,
                             const char *fallback) {
  const crd__onnx_attribute *const a = crd__graph_node_attribute(node, attribute);
  return a ? crd__onnx_span_is(a->s, word) : strcmp(fallback, word) == 0;
}

crd_status crd__graph_node_list(crd_context *ctx, const crd__graph_node *node,
                                const char *attribute, crd__graph_list *out) {
  const crd__onnx_attribute *const a = crd__graph_node_attribute(node, attribute);
  out->given = a != NULL;
  out->count = a ? a->count : 0;
  if (out->count > CRD__LIST_MAX)
    return crd__graph_node_fail(ctx, node, "its '%s' has %zu elements; at most %d are supported",
                                attribute, out->count, CRD__LIST_MAX);
  if (out->count) memcpy(out->items, a->ints, out->count * sizeof *out->items);
  return CRD_OK;
}

static crd_status need_constant(crd_context *ctx, const crd__graph_node *node, size_t index,
                                const crd__engine_tensor *tensor) {
  if (tensor->constant) return CRD_OK;
  return crd__graph_node_fail(
      ctx, node,
      "its input %zu ('%.60s') depends on the data of a run, but must be a constant: export the "
      "model with fixed shapes, or give the value as a constant",
      index, tensor->name);
}

crd_status crd__graph_node_list_input(crd_context *ctx, const crd__graph *net,
                                      const crd__graph_node *node, size_t index,
                                      crd__graph_list *out) {
  const crd__engine_tensor *const tensor = crd__graph_node_input(net, node, index);
  out->given = tensor != NULL;
  out->count = 0;
  if (!tensor) return CRD_OK;
  CRD_TRY(need_constant(ctx, node, index, tensor));
  if (tensor->dtype != CRD_I64 && tensor->dtype != CRD_I32)
    return crd__graph_node_fail(ctx, node, "its input %zu must be of integers, not %s", index,
                                crd_dtype_name(tensor->dtype));
  out->count = crd__engine_tensor_count(tensor);
  if (tensor->rank > 1 || out->count > CRD__LIST_MAX)
    return crd__graph_node_fail(
        ctx, node,
        "its input %zu has %zu dimensions and %zu elements; a list of at most %d is supported",
        index, tensor->rank, out->count, CRD__LIST_MAX);
  const crd_array view = view_of(tensor);
  for (size_t i = 0; i < out->count; i++)
    (void)crd__data_array_integer(&view, i, 0, &out->items[i]);
  return CRD_OK;
}

crd_status crd__graph_node_number_input(crd_context *ctx, const crd__graph *net,
                                        const crd__graph_node *node, size_t index, double fallback,
                                        double *out) {
  const crd__engine_tensor *const tensor = crd__graph_node_input(net, node, index);
  *out = fallback;
  if (!tensor) return CRD_OK;
  CRD_TRY(need_constant(ctx, node, index, tensor));
  if (crd__engine_tensor_count(tensor) != 1)
    return crd__graph_node_fail(ctx, node, "its input %zu has %zu elements, expected 1", index,
                                crd__engine_tensor_count(tensor));
  *out = crd__engine_tensor_number(tensor, 0);
  return CRD_OK;
}

/* ---- Axes. */

crd_status crd__graph_node_axis(crd_context *ctx, const crd__graph_node *node, int64_t axis,
                                size_t rank, size_t *out) {
  const int64_t most = (int64_t)rank;
  if (axis < -most || axis >= most)
    return crd__graph_node_fail(ctx, node, "axis %lld is out of range for %zu dimensions",
                                (long long)axis, rank);
  *out = (size_t)(axis < 0 ? axis + most : axis);
  return CRD_OK;
}

crd_status crd__graph_node_axes(crd_context *ctx, const crd__graph_node *node,
                                const crd__graph_list *axes, size_t rank, bool all,
                                bool marks[CRD_RANK_MAX]) {
  for (size_t i = 0; i < CRD_RANK_MAX; i++) marks[i] = axes->count == 0 && all && i < rank;
  for (size_t i = 0; i < axes->count; i++) {
    size_t axis = 0;
    CRD_TRY(crd__graph_node_axis(ctx, node, axes->items[i], rank, &axis));
    if (marks[axis]) return crd__graph_node_fail(ctx, node, "axis %zu is listed twice", axis);
    marks[axis] = true;
  }
  return CRD_OK;
}

/* ---- Shapes. */

/* Operators pass on the type that they compute in; the model has their inputs in another one. */
static crd_dtype type_in_model(const crd__graph *net, const crd__graph_node *node,
                               crd_dtype dtype) {
  for (size_t i = 0; i < node->input_count && dtype == CRD_F32 && !node->op->typed; i++) {
    const crd__engine_tensor *const x = crd__graph_node_input(net, node, i);
    if (x && x->dtype == CRD_F32) return crd__engine_tensor_type(x);
  }
  return dtype;
}

crd_status crd__graph_node_set(crd_context *ctx, crd__graph *net, const crd__graph_node *node,
                               size_t index, crd_dtype dtype, size_t rank, const int64_t *dims) {
  if (index >= node->output_count || node->outputs[index] == CRD__NONE) return CRD_OK;
  crd__engine_tensor *const tensor = &net->engine.tensors[node->outputs[index]];
  if (rank > CRD_RANK_MAX)
    return crd__graph_node_fail(ctx, node,
                                "its result would have %zu dimensions; at most %d are supported",
                                rank, CRD_RANK_MAX);
  for (size_t i = 0; i < rank; i++)
    if (dims[i] < 0)
      return crd__graph_node_fail(ctx, node, "dimension %zu of its result would be %lld", i,
                                  (long long)dims[i]);
  if (!crd__engine_tensor_fits(&net->engine, crd__engine_computed(dtype), rank, dims))
    return crd__graph_node_fail(
        ctx, node,
        "its result would need more than the %llu MB of memory that this machine "
        "has",
        (unsigned long long)(net->engine.budget.limit >> 20));
  tensor->known = true;
  crd__engine_tensor_set_type(tensor, type_in_model(net, node, dtype));
  tensor->rank = rank;
  if (rank) memmove(tensor->dims, dims, rank * sizeof *dims);
  return CRD_OK;
}

crd_status crd__graph_node_set_like(crd_context *ctx, crd__graph *net, const crd__graph_node *node,
                                    size_t index, size_t input) {
  const crd__engine_tensor *const like = crd__graph_node_input(net, node, input);
  return crd__graph_node_set(ctx, net, node, index, like->dtype, like->rank, like->dims);
}

crd_status crd__graph_node_broadcast(crd_context *ctx, const crd__graph_node *node,
                                     const crd__engine_tensor *tensor, size_t *rank,
                                     int64_t dims[CRD_RANK_MAX]) {
  const size_t wide = tensor->rank > *rank ? tensor->rank : *rank;
  for (size_t i = 1; i <= wide; i++) { /* from the last dimension backwards */
    const int64_t a = i <= *rank ? dims[*rank - i] : 1;
    const int64_t b = i <= tensor->rank ? tensor->dims[tensor->rank - i] : 1;
    if (a != b && a != 1 && b != 1)
      return crd__graph_node_fail(ctx, node, "cannot broadcast %lld with %lld in dimension -%zu",
                                  (long long)a, (long long)b, i);
    if (i > *rank) { /* prepend a dimension */
      memmove(dims + 1, dims, *rank * sizeof *dims);
      ++*rank;
    }
    dims[*rank - i] = a == 1 ? b : a;
  }
  return CRD_OK;
}

crd_status crd__graph_node_needs(crd_context *ctx, const crd__graph *net,
                                 const crd__graph_node *node, size_t index, crd_dtype dtype) {
  const crd__engine_tensor *const tensor = crd__graph_node_input(net, node, index);
  if (!tensor || tensor->dtype == dtype) return CRD_OK;
  return crd__graph_node_fail(ctx, node, "its input %zu is %s; only %s is supported", index,
                              crd_dtype_name(tensor->dtype), crd_dtype_name(dtype));
}

crd_status crd__graph_node_needs_reals(crd_context *ctx, const crd__graph *net,
                                       const crd__graph_node *node) {
  const crd_dtype dtype = crd__graph_node_input(net, node, 0)->dtype;
  if (dtype == CRD_F32 || dtype == CRD_F64) return CRD_OK;
  return crd__graph_node_fail(ctx, node, "its input is %s; f16, bf16, f32 and f64 are supported",
                              crd_dtype_name(dtype));
}

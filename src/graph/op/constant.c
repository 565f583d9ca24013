/* constant.c -- Constant: the value is an attribute of the node. */
#include "graph/op/plain.h"

static crd_status set(crd_context *ctx, crd__graph *net, const crd__graph_node *node,
                      crd_dtype dtype, size_t rank, const int64_t *dims, const void *values) {
  CRD_TRY(crd__graph_node_set(ctx, net, node, 0, dtype, rank, dims));
  return crd__graph_set_constant(ctx, net, &net->engine.tensors[node->outputs[0]], values);
}

static crd_status set_tensor(crd_context *ctx, crd__graph *net, const crd__graph_node *node,
                             const crd__onnx_tensor *t) {
  if (!t->numbers)
    return crd__graph_node_fail(ctx, node, "its value has ONNX type %d, which is not supported",
                                t->type);
  net->engine.tensors[node->outputs[0]].strings = t->strings;
  return set(ctx, net, node, t->dtype, t->rank, t->dims, t->bytes);
}

static crd_status constant_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  if (node->attribute_count != 1)
    return crd__graph_node_fail(ctx, node, "it has %zu values, expected 1", node->attribute_count);
  const crd__onnx_attribute *const a = node->attributes;
  const int64_t count = (int64_t)a->count;
  if (a->type == CRD__ATTRIBUTE_TENSOR) return set_tensor(ctx, net, node, a->t);
  if (a->type == CRD__ATTRIBUTE_FLOAT) return set(ctx, net, node, CRD_F32, 0, NULL, &a->f);
  if (a->type == CRD__ATTRIBUTE_INT) return set(ctx, net, node, CRD_I64, 0, NULL, &a->i);
  if (a->type == CRD__ATTRIBUTE_FLOATS) return set(ctx, net, node, CRD_F32, 1, &count, a->floats);
  return set(ctx, net, node, CRD_I64, 1, &count, a->ints);
}

static const crd__graph_op_attribute attributes[] = {
  { "value", CRD__ATTRIBUTE_TENSOR },        { "value_float", CRD__ATTRIBUTE_FLOAT },
  { "value_floats", CRD__ATTRIBUTE_FLOATS }, { "value_int", CRD__ATTRIBUTE_INT },
  { "value_ints", CRD__ATTRIBUTE_INTS },     { .name = NULL },
};

const crd__graph_op crd__graph_op_constant = {
  .info = { "Constant", "any numeric type; no strings or sparse tensors", 1, CRD__OPSET, 0, 0 },
  .inputs_least = 0,
  .inputs_most = 0,
  .outputs_least = 1,
  .outputs_most = 1,
  .attributes = attributes,
  .infer = constant_infer,
  .flops = crd__graph_plain_flops,
  .flat = true,
};

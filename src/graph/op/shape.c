/* shape.c -- Shape, the dimensions of its input, and Size, the number of its elements: constants
 * after shape inference. */
#include "graph/op/plain.h"

/* Clamp -rank .. rank to 0 .. rank. */
static size_t bound(int64_t at, size_t rank) {
  if (at < 0) at += (int64_t)rank;
  return at < 0 ? 0 : at > (int64_t)rank ? rank : (size_t)at;
}

static crd_status shape_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  const crd__graph_shape in = crd__graph_shape_of(crd__graph_node_input(net, node, 0));
  const size_t from = bound(crd__graph_node_int(node, "start", 0), in.rank);
  const size_t to = bound(crd__graph_node_int(node, "end", CRD_RANK_MAX), in.rank);
  const int64_t count = to > from ? (int64_t)(to - from) : 0;
  int64_t *values;
  CRD_TRY(crd__engine_memory(ctx, &net->engine, (size_t)count + 1, sizeof *values, &values));
  for (size_t i = 0; i < (size_t)count; i++) values[i] = in.dims[from + i];
  CRD_TRY(crd__graph_node_set(ctx, net, node, 0, CRD_I64, 1, &count));
  net->engine.tensors[node->outputs[0]].constant = values;
  return CRD_OK;
}

static const crd__graph_op_attribute attributes[] = {
  { "start", CRD__ATTRIBUTE_INT },
  { "end", CRD__ATTRIBUTE_INT },
  { .name = NULL },
};

const crd__graph_op crd__graph_op_shape = {
  .info = { "Shape", "any type", 1, CRD__OPSET, 0, 0 },
  .inputs_least = 1,
  .inputs_most = 1,
  .outputs_least = 1,
  .outputs_most = 1,
  .attributes = attributes,
  .infer = shape_infer,
  .flops = crd__graph_plain_flops,
  .flat = true,
};

static crd_status size_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  int64_t *value;
  CRD_TRY(crd__engine_memory(ctx, &net->engine, 1, sizeof *value, &value));
  *value = (int64_t)crd__engine_tensor_count(crd__graph_node_input(net, node, 0));
  CRD_TRY(crd__graph_node_set(ctx, net, node, 0, CRD_I64, 0, NULL));
  net->engine.tensors[node->outputs[0]].constant = value;
  return CRD_OK;
}

const crd__graph_op crd__graph_op_size = {
  .info = { "Size", "any type", 1, CRD__OPSET, 0, 0 },
  .inputs_least = 1,
  .inputs_most = 1,
  .outputs_least = 1,
  .outputs_most = 1,
  .infer = size_infer,
  .flops = crd__graph_plain_flops,
  .flat = true,
};

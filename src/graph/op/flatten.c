/* flatten.c -- Flatten: to a matrix, splitting the dimensions at an axis. */
#include "graph/op.h"

static crd_status flatten_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  const int64_t given = crd__graph_node_int(node, "axis", 1);
  int64_t dims[] = { 1, 1 };
  size_t axis = x->rank;
  if (given != (int64_t)x->rank) CRD_TRY(crd__graph_node_axis(ctx, node, given, x->rank, &axis));
  for (size_t i = 0; i < x->rank; i++) dims[i >= axis] *= x->dims[i];
  return crd__graph_node_set(ctx, net, node, 0, x->dtype, 2, dims);
}

static const crd__graph_op_attribute attributes[] = {
  { "axis", CRD__ATTRIBUTE_INT },
  { .name = NULL },
};

const crd__graph_op crd__graph_op_flatten = {
  .info = { "Flatten", "any type", 1, CRD__OPSET, 1, 1 },
  .inputs_least = 1,
  .inputs_most = 1,
  .outputs_least = 1,
  .outputs_most = 1,
  .strings = true,
  .attributes = attributes,
  .infer = flatten_infer,
  .view = true,
};

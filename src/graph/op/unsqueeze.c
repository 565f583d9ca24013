/* unsqueeze.c -- Unsqueeze: inserts dimensions of 1 at the given axes of the result. */
#include "graph/op/plain.h"

static crd_status unsqueeze_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  bool marks[CRD_RANK_MAX];
  int64_t dims[CRD_RANK_MAX];
  crd__graph_list axes;
  CRD_TRY(crd__graph_plain_list(ctx, net, node, "axes", 12, 1, &axes));
  const size_t rank = x->rank + axes.count;
  if (rank > CRD_RANK_MAX)
    return crd__graph_node_fail(ctx, node,
                                "its result would have %zu dimensions; at most %d are supported",
                                rank, CRD_RANK_MAX);
  CRD_TRY(crd__graph_node_axes(ctx, node, &axes, rank, false, marks));
  for (size_t i = 0, from = 0; i < rank; i++) dims[i] = marks[i] ? 1 : x->dims[from++];
  return crd__graph_node_set(ctx, net, node, 0, x->dtype, rank, dims);
}

static const crd__graph_op_attribute attributes[] = {
  { "axes", CRD__ATTRIBUTE_INTS },
  { .name = NULL },
};

const crd__graph_op crd__graph_op_unsqueeze = {
  .info = { "Unsqueeze", "any type", 1, CRD__OPSET, 1, 1 },
  .inputs_least = 1,
  .inputs_most = 2,
  .outputs_least = 1,
  .outputs_most = 1,
  .strings = true,
  .attributes = attributes,
  .infer = unsqueeze_infer,
  .view = true,
};

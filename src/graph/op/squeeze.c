/* squeeze.c -- Squeeze: removes the given dimensions, or all that are 1. */
#include "graph/op/plain.h"

static crd_status squeeze_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  bool marks[CRD_RANK_MAX];
  int64_t dims[CRD_RANK_MAX];
  size_t rank = 0;
  crd__graph_list axes;
  CRD_TRY(crd__graph_plain_list(ctx, net, node, "axes", 12, 1, &axes));
  CRD_TRY(crd__graph_node_axes(ctx, node, &axes, x->rank, false, marks));
  for (size_t i = 0; i < x->rank; i++) {
    if (marks[i] && x->dims[i] != 1)
      return crd__graph_node_fail(ctx, node, "dimension %zu is %lld, not 1", i,
                                  (long long)x->dims[i]);
    if (axes.given ? !marks[i] : x->dims[i] != 1) dims[rank++] = x->dims[i];
  }
  return crd__graph_node_set(ctx, net, node, 0, x->dtype, rank, dims);
}

static const crd__graph_op_attribute attributes[] = {
  { "axes", CRD__ATTRIBUTE_INTS },
  { .name = NULL },
};

const crd__graph_op crd__graph_op_squeeze = {
  .info = { "Squeeze", "any type", 1, CRD__OPSET, 1, 1 },
  .inputs_least = 1,
  .inputs_most = 2,
  .outputs_least = 1,
  .outputs_most = 1,
  .strings = true,
  .attributes = attributes,
  .infer = squeeze_infer,
  .view = true,
};

/*
 * reshape.c -- Reshape, to a shape that must be a constant. 0 stands for the input's dimension
 * (unless allowzero is set), one -1 for the remaining elements.
 */
#include "graph/op.h"

static crd_status reshape_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  const bool zero = crd__graph_node_int(node, "allowzero", 0);
  const int64_t total = (int64_t)crd__engine_tensor_count(x);
  int64_t dims[CRD_RANK_MAX], known = 1;
  int open = CRD__NONE;
  crd__graph_list shape;
  CRD_TRY(crd__graph_node_list_input(ctx, net, node, 1, &shape));
  if (shape.count > CRD_RANK_MAX)
    return crd__graph_node_fail(ctx, node, "its shape has %zu dimensions; at most %d are supported",
                                shape.count, CRD_RANK_MAX);
  for (size_t i = 0; i < shape.count; i++) {
    dims[i] = shape.items[i];
    if (dims[i] == 0 && !zero) {
      if (i >= x->rank)
        return crd__graph_node_fail(ctx, node,
                                    "its shape has 0 at %zu, where its input has no dimension", i);
      dims[i] = x->dims[i];
    }
    if (dims[i] < -1 || (dims[i] == -1 && open != CRD__NONE))
      return crd__graph_node_fail(ctx, node, "its shape has %lld at %zu%s", (long long)dims[i], i,
                                  dims[i] == -1 ? ", the second -1" : "");
    if (dims[i] == -1) open = (int)i;
    else if (dims[i] && known > INT64_MAX / dims[i])
      return crd__graph_node_fail(ctx, node, "its shape has too many elements");
    else known *= dims[i];
  }
  if (open != CRD__NONE) dims[open] = known ? total / known : 0;
  if (open != CRD__NONE ? known * dims[open] != total : known != total)
    return crd__graph_node_fail(ctx, node, "%lld elements do not fit the shape, which has %lld%s",
                                (long long)total, (long long)known,
                                open != CRD__NONE ? " times the -1" : "");
  return crd__graph_node_set(ctx, net, node, 0, x->dtype, shape.count, dims);
}

static const crd__graph_op_attribute attributes[] = {
  { "allowzero", CRD__ATTRIBUTE_INT },
  { .name = NULL },
};

const crd__graph_op crd__graph_op_reshape = {
  .info = { "Reshape", "any type; the shape must not depend on data", 5, CRD__OPSET, 1, 1 },
  .inputs_least = 2,
  .inputs_most = 2,
  .outputs_least = 1,
  .outputs_most = 1,
  .strings = true,
  .attributes = attributes,
  .infer = reshape_infer,
  .view = true,
};

/* identity.c -- Identity: its input. */
#include "graph/op.h"

static crd_status identity_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  return crd__graph_node_set_like(ctx, net, node, 0, 0);
}

const crd__graph_op crd__graph_op_identity = {
  .info = { "Identity", "any type", 1, CRD__OPSET, 1, 1 },
  .inputs_least = 1,
  .inputs_most = 1,
  .outputs_least = 1,
  .outputs_most = 1,
  .strings = true,
  .infer = identity_infer,
  .view = true,
};

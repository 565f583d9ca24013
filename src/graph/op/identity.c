/* identity.c -- Identity: its input under another name. */
#include "graph/op.h"

static crd_status infer(crd_context *ctx, crd__net *net, crd__node *node) {
  return crd__node_set_like(ctx, net, node, 0, 0);
}

const crd__op crd__op_identity = {
  .info = { "Identity", "any type", 1, 20, 1, 1 },
  .inputs_least = 1,
  .inputs_most = 1,
  .outputs_least = 1,
  .outputs_most = 1,
  .infer = infer,
  .view = true,
};

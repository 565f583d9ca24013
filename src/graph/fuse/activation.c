/* activation.c -- fuses an elementwise function into the node before it, as a post-op. */
#include "graph/fuse.h"

/* True if the derivative can be computed from the result, the only tensor left in the backward
 * pass. */
static bool can_be_undone(const crd__graph *net, const crd__graph_node *node,
                          const crd__engine_post_op *function) {
  if (net->mode == CRD_MODE_INFERENCE) return true;
  for (size_t i = 0; i < node->after.count; i++)
    if (!node->after.items[i].sum) return false;
  return crd__engine_eltwise_from_result(function);
}

/* Get the function of a node, if oneDNN has it for the node's type. */
static bool find_function(crd_context *ctx, const crd__graph *net, const crd__graph_node *node,
                          crd__engine_post_op *out) {
  return node->op->function && crd__graph_node_input(net, node, 0)->dtype == CRD_F32 &&
         node->op->function(ctx, net, node, out) == CRD_OK && crd__engine_dnn_has_eltwise(out);
}

static crd_status activation_apply(crd_context *ctx, crd__graph *net, size_t n) {
  crd__graph_node *const node = &net->nodes[n];
  crd__engine_post_op function;
  if (!node->op->takes_after) return CRD_OK;
  const int reader = crd__graph_reader(net, node->outputs[0]);
  if (reader == CRD__NONE || !find_function(ctx, net, &net->nodes[reader], &function))
    return CRD_OK;
  if (node->after.count == sizeof node->after.items / sizeof *node->after.items ||
      !node->op->takes_after(net, node, &function) || !can_be_undone(net, node, &function))
    return CRD_OK;
  node->after.items[node->after.count++] = function;
  return crd__graph_absorb(ctx, net, n, (size_t)reader);
}

const crd__graph_rule crd__graph_rule_activation = { "activation", activation_apply };

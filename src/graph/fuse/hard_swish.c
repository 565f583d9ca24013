/* hard_swish.c -- recognizes x HardSigmoid(x), as exporters write HardSwish before operator set 14;
 * it can then be fused into the convolution before. */
#include "graph/fuse.h"

#include <math.h>

static crd_status hard_swish_apply(crd_context *ctx, crd__graph *net, size_t n) {
  crd__graph_node *const node = &net->nodes[n];
  crd__engine_post_op f;
  if (node->op != &crd__graph_op_hard_sigmoid ||
      net->engine.tensors[node->inputs[0]].dtype != CRD_F32)
    return CRD_OK;
  CRD_TRY(node->op->function(ctx, net, node, &f));
  if (fabs(f.alpha - 1.0 / 6) > 1e-6 || f.beta != 0.5) return CRD_OK;
  const int reader = crd__graph_reader(net, node->outputs[0]);
  if (reader == CRD__NONE || net->nodes[reader].op != &crd__graph_op_mul) return CRD_OK;
  const crd__graph_node *const product = &net->nodes[reader];
  if (product->inputs[product->inputs[0] == node->outputs[0]] != node->inputs[0]) return CRD_OK;
  node->op = &crd__graph_op_hard_swish;
  node->attribute_count = 0;
  return crd__graph_absorb(ctx, net, n, (size_t)reader);
}

const crd__graph_rule crd__graph_rule_hard_swish = { "hard_swish", hard_swish_apply };

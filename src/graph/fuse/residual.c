/*
 * residual.c -- fuses a residual connection into a convolution or layer, as a sum in place: conv(x)
 * + y becomes y += conv(x).
 *
 * Of two convolutions the later one takes the sum: the result of the other is available by then.
 */
#include "graph/fuse.h"

static const crd__engine_post_op sum = { .sum = true };

static bool can_take(const crd__graph *net, int node, int other) {
  if (node == CRD__NONE || other == CRD__NONE) return false;
  const crd__graph_node *const n = &net->nodes[node];
  const crd__engine_tensor *const mine = &net->engine.tensors[n->outputs[0]],
                                  *const its = &net->engine.tensors[other];
  return n->op->takes_after && n->op->takes_after(net, n, &sum) && n->after.count == 0 &&
         mine->dtype == its->dtype && !its->constant &&
         crd__engine_same_shape(mine->rank, mine->dims, its->rank, its->dims);
}

static crd_status residual_apply(crd_context *ctx, crd__graph *net, size_t n) {
  const crd__graph_node *const add = &net->nodes[n];
  int best = CRD__NONE, addend = CRD__NONE;
  if (add->op != &crd__graph_op_add) return CRD_OK;
  for (size_t i = 0; i < 2; i++) {
    const int maker = crd__graph_maker(net, add->inputs[i]), other = add->inputs[!i];
    if (maker > best && crd__graph_reader(net, add->inputs[i]) == (int)n &&
        crd__graph_maker(net, other) < maker && can_take(net, maker, other)) {
      best = maker;
      addend = other;
    }
  }
  if (best == CRD__NONE) return CRD_OK;
  crd__graph_node *const taker = &net->nodes[best];
  taker->addend = addend;
  taker->after.items[taker->after.count++] = sum;
  return crd__graph_absorb(ctx, net, (size_t)best, n);
}

const crd__graph_rule crd__graph_rule_residual = { "residual", residual_apply };

/* schedule.c -- plans the forward pass of a graph: reader counts of its tensors, then the steps,
 * node by node. */
#include "graph/op.h"

static void count_uses(const crd__graph *net, crd__engine_plan *plan) {
  for (size_t n = 0; n < net->node_count; n++) {
    const crd__graph_node *const node = &net->nodes[n];
    if (node->gone) continue;
    for (size_t i = 0; i < node->input_count; i++)
      if (node->inputs[i] != CRD__NONE) crd__engine_plan_hold(plan, node->inputs[i]);
    if (node->addend != CRD__NONE) crd__engine_plan_hold(plan, node->addend);
  }
  for (size_t i = 0; i < net->output_count; i++) crd__engine_plan_hold(plan, net->outputs[i]);
}

/* The backward pass reads some tensors of the forward pass. */
static void count_keeps(const crd__graph *net, crd__engine_plan *plan) {
  for (size_t n = 0; n < net->node_count; n++) {
    const unsigned keep = crd__graph_op_keeps(net, &net->nodes[n]);
    for (size_t i = 0; i < net->nodes[n].input_count; i++)
      if (crd__graph_has_input(keep, i) && net->nodes[n].inputs[i] != CRD__NONE)
        crd__engine_plan_hold(plan, net->nodes[n].inputs[i]);
    if (keep & CRD__KEEP_Y) crd__engine_plan_hold(plan, net->nodes[n].outputs[0]);
  }
}

crd_status crd__graph_plan(crd_context *ctx, crd__graph *net, crd__engine_plan **out) {
  const size_t nodes = net->mode == CRD_MODE_INFERENCE ? 0 : net->node_count + 1;
  CRD_TRY(crd__engine_plan_create(ctx, &net->engine, net, nodes, out));
  count_uses(net, *out);
  count_keeps(net, *out);
  return CRD_OK;
}

crd__engine_kept *crd__graph_node_kept(crd__engine_plan *plan, const crd__graph_node *node) {
  return crd__engine_plan_kept(plan, (size_t)(node - crd__graph_plan_net(plan)->nodes));
}

/* True if all outputs are empty. Such nodes need no steps, and oneDNN would divide by their
 * sizes. */
static bool is_idle(const crd__engine_plan *plan, const crd__graph_node *node) {
  bool idle = true;
  for (size_t i = 0; i < node->output_count; i++) {
    const crd__engine_tensor *const y = crd__graph_node_output(crd__graph_plan_net(plan), node, i);
    idle = idle && (!y || crd__engine_tensor_count(y) == 0);
  }
  return idle;
}

static crd_status plan_idle(crd_context *ctx, crd__engine_plan *plan, const crd__graph_node *node) {
  int place;
  for (size_t i = 0; i < node->output_count; i++)
    if (crd__graph_node_output(crd__graph_plan_net(plan), node, i))
      CRD_TRY(crd__engine_plan_output(ctx, plan, node->outputs[i], &place));
  return CRD_OK;
}

crd_status crd__graph_plan_node(crd_context *ctx, crd__engine_plan *plan,
                                const crd__graph_node *node) {
  if (node->op->view) CRD_TRY(crd__engine_plan_alias(ctx, plan, node->outputs[0], node->inputs[0]));
  else if (is_idle(plan, node)) CRD_TRY(plan_idle(ctx, plan, node));
  else CRD_TRY(node->op->plan(ctx, plan, node));
  for (size_t i = 0; i < node->input_count; i++) crd__engine_plan_release(plan, node->inputs[i]);
  crd__engine_plan_release(plan, node->addend);
  return CRD_OK;
}

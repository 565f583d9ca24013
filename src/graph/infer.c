/*
 * infer.c -- shape inference and constant folding, node by node in topological order.
 *
 * A node whose inputs are all constants is folded by running it: it gets a plan of its own, which
 * is run once. So shapes that a model computes from shapes are constants before they are needed.
 */
#include "graph/op.h"

#include <string.h>

static bool list_ends(const crd__graph_op_attribute *attribute) {
  return !attribute || !attribute->name;
}

static crd_status check_attribute(crd_context *ctx, const crd__graph_node *node,
                                  const crd__onnx_attribute *attribute) {
  const crd__graph_op_attribute *known = node->op->attributes;
  while (!list_ends(known) && strcmp(known->name, attribute->name) != 0) known++;
  if (list_ends(known))
    return crd__graph_node_fail(ctx, node, "its attribute '%.40s' is unknown", attribute->name);
  if ((int)known->type != attribute->type)
    return crd__graph_node_fail(ctx, node, "its attribute '%.40s' has ONNX type %d, expected %d",
                                attribute->name, attribute->type, (int)known->type);
  return CRD_OK;
}

static crd_status check_count(crd_context *ctx, const crd__graph_node *node, const char *what,
                              size_t found, size_t least, size_t most) {
  if (found >= least && (found <= most || !most)) return CRD_OK;
  return crd__graph_node_fail(ctx, node, "it has %zu %s; %zu to %zu are allowed", found, what,
                              least, most);
}

crd_status crd__graph_check(crd_context *ctx, const crd__graph *net, const crd__graph_node *node) {
  const crd__graph_op *const op = node->op;
  if (!op) {
    const crd__onnx_node *const from = &net->file->nodes[node - net->nodes];
    return crd__fail(ctx, CRD_EINPUT,
                     "node '%.60s': the operator %s%s%.60s is not supported (%s lists those "
                     "that are)",
                     node->name, from->domain, from->domain[0] ? "." : "", from->op,
                     crd__spell(ctx, "crd_operator_at"));
  }
  if (node->opset < op->info.since || node->opset > op->info.until)
    return crd__graph_node_fail(
        ctx, node,
        "the model uses operator set %d; this operator is supported from %d to "
        "%d: export the model again with one of these",
        node->opset, op->info.since, op->info.until);
  CRD_TRY(check_count(ctx, node, "inputs", node->input_count, op->inputs_least, op->inputs_most));
  CRD_TRY(
      check_count(ctx, node, "outputs", node->output_count, op->outputs_least, op->outputs_most));
  for (size_t i = 0; i < op->inputs_least; i++)
    if (node->inputs[i] == CRD__NONE)
      return crd__graph_node_fail(ctx, node, "its input %zu is required, but left out", i);
  for (size_t i = 0; i < op->outputs_least; i++)
    if (node->outputs[i] == CRD__NONE)
      return crd__graph_node_fail(ctx, node, "its output %zu is required, but left out", i);
  for (size_t i = 0; i < node->attribute_count; i++)
    CRD_TRY(check_attribute(ctx, node, &node->attributes[i]));
  return CRD_OK;
}

static bool all_constant(const crd__graph *net, const int *tensors, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (tensors[i] != CRD__NONE && !net->engine.tensors[tensors[i]].constant) return false;
  return true;
}

/* Copy the plan's outputs into constants of the network. */
static crd_status keep_results(crd_context *ctx, crd__graph *net, const crd__graph_node *node,
                               const crd__engine_plan *plan) {
  for (size_t i = 0; i < node->output_count; i++) {
    void *memory;
    if (node->outputs[i] == CRD__NONE) continue;
    const size_t bytes = crd__engine_tensor_bytes(&net->engine.tensors[node->outputs[i]]);
    CRD_TRY(crd__engine_memory(ctx, &net->engine, bytes ? bytes : 1, 1, &memory));
    if (bytes) memcpy(memory, crd__engine_plan_memory(plan, node->outputs[i]), bytes);
    net->engine.tensors[node->outputs[i]].constant = memory;
  }
  return CRD_OK;
}

static crd_status fold(crd_context *ctx, crd__graph *net, const crd__graph_node *node) {
  crd__engine_plan *plan;
  CRD_TRY(crd__graph_plan(ctx, net, &plan));
  crd_status status = crd__graph_plan_node(ctx, plan, node);
  if (status == CRD_OK)
    status = crd__engine_plan_want(ctx, plan, node->outputs, node->output_count);
  if (status == CRD_OK) status = crd__engine_plan_finish(ctx, plan, net->inputs, net->input_count);
  if (status == CRD_OK) status = crd__engine_plan_run(ctx, plan, 0, crd__engine_plan_steps(plan));
  if (status == CRD_OK) status = keep_results(ctx, net, node, plan);
  crd__engine_plan_destroy(plan);
  return status;
}

/* Strings are indices: only operators that pass elements on may read them. */
static crd_status check_strings(crd_context *ctx, const crd__graph *net,
                                const crd__graph_node *node, bool *strings) {
  *strings = false;
  for (size_t i = 0; i < node->input_count; i++) {
    const crd__engine_tensor *const x = crd__graph_node_input(net, node, i);
    if (!x || !x->strings) continue;
    if (!node->op->strings)
      return crd__graph_node_fail(ctx, node, "its input %zu ('%.60s') is of strings", i, x->name);
    *strings = true;
  }
  return CRD_OK;
}

/* Infer type and shape of the outputs. */
static crd_status infer_outputs(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  bool strings = false;
  CRD_TRY(check_strings(ctx, net, node, &strings));
  CRD_TRY(node->op->infer(ctx, net, node));
  if (strings && node->output_count && node->outputs[0] != CRD__NONE)
    net->engine.tensors[node->outputs[0]].strings = true;
  return CRD_OK;
}

crd_status crd__graph_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  CRD_TRY(crd__graph_check(ctx, net, node));
  for (size_t i = 0; i < node->input_count; i++)
    if (node->inputs[i] != CRD__NONE && !net->engine.tensors[node->inputs[i]].known)
      return crd__graph_node_fail(ctx, node, "the shape of its input %zu is unknown", i);
  CRD_TRY(infer_outputs(ctx, net, node));
  if (!all_constant(net, node->outputs, node->output_count) &&
      all_constant(net, node->inputs, node->input_count)) {
    if (node->op->view) {
      net->engine.tensors[node->outputs[0]].constant =
          net->engine.tensors[node->inputs[0]].constant;
      node->output_count = 1;
    } else CRD_TRY(fold(ctx, net, node));
  }
  node->gone = all_constant(net, node->outputs, node->output_count);
  return CRD_OK;
}

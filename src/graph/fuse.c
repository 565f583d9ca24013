/* fuse.c -- applies the fusion rules to all nodes, and finds producers and readers for them. */
#include "graph/fuse.h"
#include "base/memory.h"

#include <string.h>

static const crd__graph_rule *const rules[] = {
#define RULE(name) &crd__graph_rule_##name,
#include "graph/fuse/list.h"
#undef RULE
};

/* ---- Which nodes compute and read a tensor. Links are candidates: rules change nodes and then
 * link them again, so that a link may be stale but none is missing. */

static crd_status add_link(crd_context *ctx, crd__graph *net, int tensor, size_t node) {
  if (tensor == CRD__NONE) return CRD_OK;
  if (net->link_count == net->link_capacity) {
    const size_t bigger = net->link_capacity ? 2 * net->link_capacity : 256;
    crd__graph_link *const moved =
        crd__resize(&net->engine.alloc, net->links, bigger, sizeof *moved);
    if (!moved)
      return crd__fail(ctx, CRD_ENOMEM, "no memory for a network of %zu nodes", net->node_count);
    net->links = moved;
    net->link_capacity = bigger;
  }
  crd__engine_tensor *const t = &net->engine.tensors[tensor];
  net->links[net->link_count++] = (crd__graph_link){ (int)node, t->readers };
  t->readers = (int)net->link_count;
  return CRD_OK;
}

static crd_status link_node(crd_context *ctx, crd__graph *net, size_t node) {
  const crd__graph_node *const n = &net->nodes[node];
  for (size_t i = 0; i < n->output_count; i++)
    if (n->outputs[i] != CRD__NONE) net->engine.tensors[n->outputs[i]].maker = (int)node + 1;
  for (size_t i = 0; i < n->input_count; i++) CRD_TRY(add_link(ctx, net, n->inputs[i], node));
  return add_link(ctx, net, n->addend, node);
}

static crd_status link_all(crd_context *ctx, crd__graph *net) {
  for (size_t i = 0; i < net->output_count; i++)
    net->engine.tensors[net->outputs[i]].is_output = true;
  for (size_t n = 0; n < net->node_count; n++)
    if (!net->nodes[n].gone) CRD_TRY(link_node(ctx, net, n));
  return CRD_OK;
}

static crd_status apply_rules(crd_context *ctx, crd__graph *net) {
  for (size_t r = 0; r < sizeof rules / sizeof *rules; r++)
    for (size_t n = 0; n < net->node_count; n++) {
      CRD_TRY(crd__check_interrupt(ctx));
      if (!net->nodes[n].gone) CRD_TRY(rules[r]->apply(ctx, net, n));
    }
  return CRD_OK;
}

crd_status crd__graph_fuse(crd_context *ctx, crd__graph *net) {
  crd_status status = link_all(ctx, net);
  if (status == CRD_OK) status = apply_rules(ctx, net);
  crd__free(&net->engine.alloc, net->links);
  net->links = NULL;
  net->link_count = net->link_capacity = 0;
  return status;
}

static size_t reads(const crd__graph_node *node, int tensor) {
  size_t times = node->addend == tensor;
  for (size_t i = 0; i < node->input_count; i++) times += node->inputs[i] == tensor;
  return times;
}

int crd__graph_reader(const crd__graph *net, int tensor) {
  int reader = CRD__NONE;
  if (tensor == CRD__NONE || net->engine.tensors[tensor].is_output) return CRD__NONE;
  for (int at = net->engine.tensors[tensor].readers; at; at = net->links[at - 1].next) {
    const int node = net->links[at - 1].node;
    const size_t times = net->nodes[node].gone ? 0 : reads(&net->nodes[node], tensor);
    if (times == 0 || node == reader) continue;
    if (times > 1 || reader != CRD__NONE) return CRD__NONE;
    reader = node;
  }
  return reader;
}

bool crd__graph_read_only_by(const crd__graph *net, int tensor, int a, int b) {
  bool only = !net->engine.tensors[tensor].is_output;
  for (int at = net->engine.tensors[tensor].readers; at && only; at = net->links[at - 1].next) {
    const int node = net->links[at - 1].node;
    only = node == a || node == b || net->nodes[node].gone || !reads(&net->nodes[node], tensor);
  }
  return only;
}

int crd__graph_maker(const crd__graph *net, int tensor) {
  const int node = tensor == CRD__NONE ? 0 : net->engine.tensors[tensor].maker;
  if (node == 0 || net->nodes[node - 1].gone) return CRD__NONE;
  for (size_t i = 0; i < net->nodes[node - 1].output_count; i++)
    if (net->nodes[node - 1].outputs[i] == tensor) return node - 1;
  return CRD__NONE;
}

bool crd__graph_scalar(const crd__graph *net, int tensor, float *out) {
  if (tensor == CRD__NONE) return false;
  const crd__engine_tensor *const t = &net->engine.tensors[tensor];
  if (!t->constant || t->dtype != CRD_F32 || crd__engine_tensor_count(t) != 1) return false;
  *out = (float)crd__engine_tensor_number(t, 0);
  return true;
}

crd_status crd__graph_absorb(crd_context *ctx, crd__graph *net, size_t node, size_t last) {
  net->nodes[node].outputs[0] = net->nodes[last].outputs[0];
  net->nodes[last].gone = true;
  return link_node(ctx, net, node);
}

int crd__graph_node_other(const crd__graph_node *node, int tensor) {
  if (node->input_count != 2) return CRD__NONE;
  if (node->inputs[0] == tensor) return node->inputs[1];
  return node->inputs[1] == tensor ? node->inputs[0] : CRD__NONE;
}

crd_status crd__graph_replace(crd_context *ctx, crd__graph *net, size_t node,
                              const crd__graph_op *op, size_t inputs, const int *input,
                              size_t attributes, const crd__onnx_attribute *attribute) {
  crd__graph_node *const n = &net->nodes[node];
  int *copy;
  crd__onnx_attribute *copies;
  CRD_TRY(crd__engine_memory(ctx, &net->engine, inputs, sizeof *copy, &copy));
  CRD_TRY(crd__engine_memory(ctx, &net->engine, attributes, sizeof *copies, &copies));
  memcpy(copy, input, inputs * sizeof *copy);
  if (attributes) memcpy(copies, attribute, attributes * sizeof *copies);
  n->op = op;
  n->inputs = copy;
  n->input_count = inputs;
  n->attributes = copies;
  n->attribute_count = attributes;
  return CRD_OK;
}

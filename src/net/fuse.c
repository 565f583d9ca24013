/* fuse.c -- rules applied to all nodes, and what rules ask of a network. */
#include "net/fuse.h"

#include <string.h>

static const crd__rule *const rules[] = {
#define RULE(name) &crd__rule_##name,
#include "net/fuse/list.h"
#undef RULE
};

crd_status crd__net_fuse(crd_context *ctx, crd__net *net) {
  for (size_t r = 0; r < sizeof rules / sizeof *rules; r++)
    for (size_t n = 0; n < net->node_count; n++) {
      if (crd__interrupted(ctx)) return crd__fail(ctx, CRD_EINTERRUPTED, "interrupted");
      if (!net->nodes[n].gone) CRD_TRY(rules[r]->apply(ctx, net, n));
    }
  return CRD_OK;
}

static bool reads(const crd__node *node, int tensor, size_t *times) {
  const size_t before = *times;
  for (size_t i = 0; i < node->input_count; i++) *times += node->inputs[i] == tensor;
  *times += node->addend == tensor;
  return *times > before;
}

int crd__net_reader(const crd__net *net, int tensor) {
  int reader = CRD__NONE;
  size_t times = 0;
  for (size_t i = 0; i < net->output_count; i++)
    if (net->outputs[i] == tensor) return CRD__NONE;
  for (size_t n = 0; n < net->node_count; n++)
    if (!net->nodes[n].gone && reads(&net->nodes[n], tensor, &times)) reader = (int)n;
  return times == 1 ? reader : CRD__NONE;
}

int crd__net_maker(const crd__net *net, int tensor) {
  for (size_t n = 0; n < net->node_count && tensor != CRD__NONE; n++)
    for (size_t i = 0; i < net->nodes[n].output_count && !net->nodes[n].gone; i++)
      if (net->nodes[n].outputs[i] == tensor) return (int)n;
  return CRD__NONE;
}

bool crd__net_scalar(const crd__net *net, int tensor, float *out) {
  if (tensor == CRD__NONE) return false;
  const crd__tensor *const t = &net->tensors[tensor];
  if (!t->constant || t->dtype != CRD_F32 || crd__tensor_count(t) != 1) return false;
  *out = (float)crd__tensor_number(t, 0);
  return true;
}

void crd__net_absorb(crd__net *net, size_t node, size_t last) {
  net->nodes[node].outputs[0] = net->nodes[last].outputs[0];
  net->nodes[last].gone = true;
}

int crd__node_other(const crd__node *node, int tensor) {
  if (node->input_count != 2) return CRD__NONE;
  if (node->inputs[0] == tensor) return node->inputs[1];
  return node->inputs[1] == tensor ? node->inputs[0] : CRD__NONE;
}

crd_status crd__net_replace(crd_context *ctx, crd__net *net, size_t node, const crd__op *op,
                            size_t inputs, const int *input, size_t attributes,
                            const crd__onnx_attribute *attribute) {
  crd__node *const n = &net->nodes[node];
  int *numbers;
  crd__onnx_attribute *copies;
  CRD_TRY(crd__net_memory(ctx, net, inputs, sizeof *numbers, &numbers));
  CRD_TRY(crd__net_memory(ctx, net, attributes, sizeof *copies, &copies));
  memcpy(numbers, input, inputs * sizeof *numbers);
  if (attributes) memcpy(copies, attribute, attributes * sizeof *copies);
  n->op = op;
  n->inputs = numbers;
  n->input_count = inputs;
  n->attributes = copies;
  n->attribute_count = attributes;
  return CRD_OK;
}

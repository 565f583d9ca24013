/* bias.c -- a constant for each column, added to a product with constant weights, goes into it. */
#include "net/fuse.h"

#include <string.h>

/* One number for each column, in a list or in as many dimensions as there may be. */
static bool is_bias(const crd__net *net, int tensor, int64_t columns) {
  const crd__tensor *const t = &net->tensors[tensor];
  return t->constant && t->dtype == CRD_F32 && t->rank && t->dims[t->rank - 1] == columns &&
         (int64_t)crd__tensor_count(t) == columns;
}

static crd_status apply(crd_context *ctx, crd__net *net, size_t n) {
  crd__node *const node = &net->nodes[n];
  int *inputs;
  if (node->op != &crd__op_matmul || node->input_count > 2 || node->after.count) return CRD_OK;
  const crd__tensor *const w = crd__node_input(net, node, 1);
  const crd__tensor *const y = crd__node_output(net, node, 0);
  const int reader = crd__net_reader(net, node->outputs[0]);
  if (w->dtype != CRD_F32 || !w->constant || w->rank != 2 || !w->dims[0] || reader == CRD__NONE ||
      net->nodes[reader].op != &crd__op_add)
    return CRD_OK;
  const crd__node *const add = &net->nodes[reader];
  const int bias = add->inputs[add->inputs[0] == node->outputs[0]];
  if (net->tensors[add->outputs[0]].rank != y->rank || !is_bias(net, bias, w->dims[1]))
    return CRD_OK;
  CRD_TRY(crd__net_memory(ctx, net, 3, sizeof *inputs, &inputs));
  memcpy(inputs, (int[]){ node->inputs[0], node->inputs[1], bias }, 3 * sizeof *inputs);
  node->inputs = inputs;
  node->input_count = 3;
  crd__net_absorb(net, n, (size_t)reader);
  return CRD_OK;
}

const crd__rule crd__rule_bias = { "bias", apply };

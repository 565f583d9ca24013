/* bias.c -- fuses the addition of a constant for each column into a matrix product, as its bias. */
#include "graph/fuse.h"

static bool is_bias(const crd__graph *net, int tensor, int64_t columns) {
  if (tensor == CRD__NONE) return false;
  const crd__engine_tensor *const t = &net->engine.tensors[tensor];
  return crd__engine_tensor_given(t) && t->dtype == CRD_F32 && t->rank &&
         t->dims[t->rank - 1] == columns && (int64_t)crd__engine_tensor_count(t) == columns;
}

static crd_status bias_apply(crd_context *ctx, crd__graph *net, size_t n) {
  const crd__graph_node *const product = &net->nodes[n];
  if (product->op != &crd__graph_op_matmul || product->input_count > 2) return CRD_OK;
  const crd__engine_tensor *const weights = crd__graph_node_input(net, product, 1);
  const crd__engine_tensor *const y = crd__graph_node_output(net, product, 0);
  const int reader = crd__graph_reader(net, product->outputs[0]);
  if (weights->rank != 2 || weights->dims[0] == 0 || y->dtype != CRD_F32 || reader == CRD__NONE ||
      net->nodes[reader].op != &crd__graph_op_add)
    return CRD_OK;
  const int bias = crd__graph_node_other(&net->nodes[reader], product->outputs[0]);
  const crd__engine_tensor *const sum = crd__graph_node_output(net, &net->nodes[reader], 0);
  if (!is_bias(net, bias, weights->dims[1]) || sum->rank != y->rank) return CRD_OK;
  const int inputs[] = { product->inputs[0], product->inputs[1], bias };
  CRD_TRY(crd__graph_replace(ctx, net, n, &crd__graph_op_matmul, 3, inputs, 0, NULL));
  return crd__graph_absorb(ctx, net, n, (size_t)reader);
}

const crd__graph_rule crd__graph_rule_bias = { "bias", bias_apply };

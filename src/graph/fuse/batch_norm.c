/*
 * batch_norm.c -- folds a batch normalization after a convolution into its weights and bias:
 *
 *   scale (w * x + b - mean) / sd + shift = (w scale / sd) * x + (b - mean) scale / sd + shift
 */
#include "graph/fuse.h"

#include <math.h>
#include <string.h>

static bool all_constant(const crd__graph *net, const crd__graph_node *node, size_t from,
                         size_t to) {
  for (size_t i = from; i < to && i < node->input_count; i++)
    if (node->inputs[i] != CRD__NONE && !net->engine.tensors[node->inputs[i]].constant)
      return false;
  return true;
}

static double number(const crd__graph *net, const crd__graph_node *node, size_t input,
                     size_t index) {
  const crd__engine_tensor *const t = crd__graph_node_input(net, node, input);
  return t ? crd__engine_tensor_number(t, index) : 0;
}

/* Compute the new weights and bias. */
static crd_status fold(crd_context *ctx, crd__graph *net, const crd__graph_node *conv,
                       const crd__graph_node *norm, int *weights, int *bias) {
  const crd__engine_tensor w = *crd__graph_node_input(net, conv, 1);
  const size_t channels = (size_t)w.dims[0];
  const size_t each = channels ? crd__engine_tensor_count(&w) / channels : 0;
  const double epsilon = (double)crd__graph_node_float(norm, "epsilon", 1e-5F);
  float *ws, *bs;
  CRD_TRY(crd__graph_floats(ctx, net, w.name, w.rank, w.dims, weights, &ws));
  CRD_TRY(crd__graph_floats(ctx, net, norm->name, 1, w.dims, bias, &bs));
  for (size_t c = 0; c < channels; c++) {
    const double factor = number(net, norm, 1, c) / sqrt(number(net, norm, 4, c) + epsilon);
    bs[c] = (float)((number(net, conv, 2, c) - number(net, norm, 3, c)) * factor +
                    number(net, norm, 2, c));
    for (size_t i = c * each; i < (c + 1) * each; i++)
      ws[i] = (float)(crd__engine_tensor_number(&w, i) * factor);
  }
  return CRD_OK;
}

static crd_status batch_norm_apply(crd_context *ctx, crd__graph *net, size_t n) {
  crd__graph_node *const conv = &net->nodes[n];
  int weights, bias, *inputs;
  if (conv->op != &crd__graph_op_conv || !all_constant(net, conv, 1, 3)) return CRD_OK;
  const int reader = crd__graph_reader(net, conv->outputs[0]);
  if (reader == CRD__NONE || net->nodes[reader].op != &crd__graph_op_batch_normalization ||
      !all_constant(net, &net->nodes[reader], 1, 5) ||
      net->engine.tensors[conv->outputs[0]].dtype != CRD_F32 ||
      crd__graph_node_int(&net->nodes[reader], "training_mode", 0))
    return CRD_OK;
  CRD_TRY(fold(ctx, net, conv, &net->nodes[reader], &weights, &bias));
  CRD_TRY(crd__engine_memory(ctx, &net->engine, 3, sizeof *inputs, &inputs));
  memcpy(inputs, (int[]){ conv->inputs[0], weights, bias }, 3 * sizeof *inputs);
  conv->inputs = inputs;
  conv->input_count = 3;
  return crd__graph_absorb(ctx, net, n, (size_t)reader);
}

const crd__graph_rule crd__graph_rule_batch_norm = { "batch_norm", batch_norm_apply };

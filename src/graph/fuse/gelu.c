/*
 * gelu.c -- recognizes Gelu as exporters write it before operator set 20:
 *
 *   x (1 + erf(x / sqrt(2))) / 2
 *
 * with the half before or after the product. Six passes over memory become one, or none if Gelu is
 * then fused into the layer before.
 */
#include "graph/fuse.h"

#include <math.h>

/* True if the tensor is this number, as far as its type in the model can express it. */
static bool is_near(const crd__graph *net, int tensor, double value) {
  float found;
  if (!crd__graph_scalar(net, tensor, &found)) return false;
  const crd_dtype type = crd__engine_tensor_type(&net->engine.tensors[tensor]);
  const double slack = type == CRD_F16 ? 0x1p-11 : type == CRD_BF16 ? 0x1p-8 : 1e-6;
  return fabs((double)found - value) <= slack;
}

/* Return x if `tensor` is x / sqrt(2), by Div or Mul; NONE otherwise. */
static int find_source(const crd__graph *net, int tensor) {
  const int maker = crd__graph_maker(net, tensor);
  if (maker == CRD__NONE) return CRD__NONE;
  const crd__graph_node *const node = &net->nodes[maker];
  if (node->op == &crd__graph_op_div && is_near(net, node->inputs[1], sqrt(2)))
    return node->inputs[0];
  for (size_t i = 0; i < 2 && node->op == &crd__graph_op_mul; i++)
    if (is_near(net, node->inputs[i], sqrt(0.5))) return node->inputs[!i];
  return CRD__NONE;
}

/* Return the only reader of the node's output if it is of that kind; NONE otherwise. */
static int follow(const crd__graph *net, int node, const crd__graph_op *op) {
  if (node == CRD__NONE) return CRD__NONE;
  const int reader = crd__graph_reader(net, net->nodes[node].outputs[0]);
  return reader != CRD__NONE && net->nodes[reader].op == op ? reader : CRD__NONE;
}

/* True if the tensor is x / 2. */
static bool is_half(const crd__graph *net, int tensor, int x) {
  const int maker = crd__graph_maker(net, tensor);
  return maker != CRD__NONE && net->nodes[maker].op == &crd__graph_op_mul &&
         is_near(net, crd__graph_node_other(&net->nodes[maker], x), 0.5);
}

static bool same_shape(const crd__graph *net, int a, int b) {
  const crd__engine_tensor *const x = &net->engine.tensors[a], *const y = &net->engine.tensors[b];
  return crd__engine_same_shape(x->rank, x->dims, y->rank, y->dims);
}

/* Return the last node of the pattern; NONE if `erf` is not part of one. */
static int find_last(const crd__graph *net, int erf, int x) {
  const int sum = follow(net, erf, &crd__graph_op_add),
            product = follow(net, sum, &crd__graph_op_mul);
  if (product == CRD__NONE ||
      !is_near(net, crd__graph_node_other(&net->nodes[sum], net->nodes[erf].outputs[0]), 1))
    return CRD__NONE;
  const int factor = crd__graph_node_other(&net->nodes[product], net->nodes[sum].outputs[0]);
  if (factor != x) return is_half(net, factor, x) ? product : CRD__NONE;
  const int last = follow(net, product, &crd__graph_op_mul);
  if (last == CRD__NONE) return CRD__NONE;
  const int half = crd__graph_node_other(&net->nodes[last], net->nodes[product].outputs[0]);
  return is_near(net, half, 0.5) ? last : CRD__NONE;
}

static crd_status gelu_apply(crd_context *ctx, crd__graph *net, size_t n) {
  crd__graph_node *const erf = &net->nodes[n];
  if (erf->op != &crd__graph_op_erf || crd__graph_reader(net, erf->inputs[0]) == CRD__NONE)
    return CRD_OK;
  const int x = find_source(net, erf->inputs[0]);
  if (x == CRD__NONE || net->engine.tensors[x].dtype != CRD_F32) return CRD_OK;
  const int last = find_last(net, (int)n, x);
  if (last == CRD__NONE || !same_shape(net, x, net->nodes[last].outputs[0])) return CRD_OK;
  net->nodes[crd__graph_maker(net, erf->inputs[0])].gone = true;
  for (int at = (int)n; at != last;) {
    const int next = crd__graph_reader(net, net->nodes[at].outputs[0]);
    if (at != (int)n) net->nodes[at].gone = true;
    at = next;
  }
  for (size_t i = 0; i < 2; i++) { /* x / 2, if it was a factor */
    const int maker = crd__graph_maker(net, net->nodes[last].inputs[i]);
    if (maker != CRD__NONE && is_half(net, net->nodes[last].inputs[i], x) &&
        crd__graph_reader(net, net->nodes[last].inputs[i]) == last)
      net->nodes[maker].gone = true;
  }
  erf->op = &crd__graph_op_gelu;
  erf->inputs[0] = x;
  return crd__graph_absorb(ctx, net, n, (size_t)last);
}

const crd__graph_rule crd__graph_rule_gelu = { "gelu", gelu_apply };

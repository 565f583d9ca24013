/*
 * layer_norm.c -- nine nodes that exporters before operator set 17 write for a layer normalisation:
 *
 *   d = x - mean(x),  y = d / sqrt(mean(d^2) + epsilon) * scale + shift
 */
#include "net/fuse.h"

/* Is it a mean along the last dimension, which stays? */
static bool is_mean(const crd__net *net, int node) {
  if (node == CRD__NONE || net->nodes[node].op != &crd__op_reduce_mean) return false;
  const crd__tensor *const x = crd__node_input(net, &net->nodes[node], 0);
  const crd__tensor *const y = crd__node_output(net, &net->nodes[node], 0);
  if (x->dtype != CRD_F32 || !x->rank || x->rank != y->rank || y->dims[x->rank - 1] != 1)
    return false;
  for (size_t i = 0; i + 1 < x->rank; i++)
    if (x->dims[i] != y->dims[i]) return false;
  return true;
}

/* A constant for each number along the last dimension, read beside `tensor` by its only reader. */
static int reader_with(const crd__net *net, int tensor, const crd__op *op, int64_t columns,
                       int *beside) {
  const int reader = crd__net_reader(net, tensor);
  if (reader == CRD__NONE || net->nodes[reader].op != op) return CRD__NONE;
  *beside = crd__node_other(&net->nodes[reader], tensor);
  if (*beside == CRD__NONE) return CRD__NONE;
  const crd__tensor *const t = &net->tensors[*beside];
  return t->constant && t->dtype == CRD_F32 && t->rank == 1 && t->dims[0] == columns ? reader
                                                                                     : CRD__NONE;
}

/* The nodes from d on; false: they are others. */
typedef struct {
  int power, mean, plus, root, over;
  float epsilon;
} middle;

static bool find_middle(const crd__net *net, int d, middle *m) {
  float two;
  m->over = m->power = CRD__NONE;
  for (size_t n = 0; n < net->node_count; n++) {
    const crd__node *const node = &net->nodes[n];
    if (node->gone || node->input_count == 0 || node->inputs[0] != d) continue;
    if (node->op == &crd__op_div && m->over == CRD__NONE) m->over = (int)n;
    else if (node->op == &crd__op_pow && m->power == CRD__NONE) m->power = (int)n;
    else return false;
  }
  if (m->over == CRD__NONE || m->power == CRD__NONE ||
      !crd__net_scalar(net, net->nodes[m->power].inputs[1], &two) || two != 2)
    return false;
  m->mean = crd__net_reader(net, net->nodes[m->power].outputs[0]);
  if (!is_mean(net, m->mean)) return false;
  m->plus = crd__net_reader_by(net, net->nodes[m->mean].outputs[0], &crd__op_add, &m->epsilon);
  if (m->plus == CRD__NONE) return false;
  m->root = crd__net_reader(net, net->nodes[m->plus].outputs[0]);
  return m->root != CRD__NONE && net->nodes[m->root].op == &crd__op_sqrt &&
         crd__net_reader(net, net->nodes[m->root].outputs[0]) == m->over &&
         net->nodes[m->over].inputs[1] == net->nodes[m->root].outputs[0];
}

static crd_status apply(crd_context *ctx, crd__net *net, size_t n) {
  middle m;
  int scale, shift;
  if (!is_mean(net, (int)n)) return CRD_OK;
  const int x = net->nodes[n].inputs[0];
  const crd__tensor *const tensor = &net->tensors[x];
  const int64_t columns = tensor->dims[tensor->rank - 1];
  const int minus = crd__net_reader(net, net->nodes[n].outputs[0]);
  if (minus == CRD__NONE || net->nodes[minus].op != &crd__op_sub ||
      net->nodes[minus].inputs[0] != x || !find_middle(net, net->nodes[minus].outputs[0], &m))
    return CRD_OK;
  const int times = reader_with(net, net->nodes[m.over].outputs[0], &crd__op_mul, columns, &scale);
  if (times == CRD__NONE) return CRD_OK;
  const int last = reader_with(net, net->nodes[times].outputs[0], &crd__op_add, columns, &shift);
  if (last == CRD__NONE) return CRD_OK;
  const int inputs[] = { x, scale, shift };
  const crd__onnx_attribute attributes[] = {
    { .name = "axis", .type = CRD__ATTRIBUTE_INT, .i = -1 },
    { .name = "epsilon", .type = CRD__ATTRIBUTE_FLOAT, .f = m.epsilon },
  };
  CRD_TRY(crd__net_replace(ctx, net, (size_t)last, &crd__op_layer_normalization, 3, inputs, 2,
                           attributes));
  const int gone[] = { (int)n, minus, m.power, m.mean, m.plus, m.root, m.over, times };
  for (size_t i = 0; i < sizeof gone / sizeof *gone; i++) net->nodes[gone[i]].gone = true;
  return CRD_OK;
}

const crd__rule crd__rule_layer_norm = { "layer_norm", apply };

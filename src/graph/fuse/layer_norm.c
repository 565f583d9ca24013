/*
 * layer_norm.c -- recognizes LayerNormalization as exporters write it before operator set 17:
 *
 *   d = x - mean(x),   y = d / sqrt(mean(d^2) + epsilon) scale + shift
 *
 * Nine passes over memory become one.
 */
#include "graph/fuse.h"

/* Indices of the pattern's nodes. */
typedef struct {
  int mean, centred, square, variance, sum, root, ratio, scaled, shifted;
} parts;

static int maker_of_kind(const crd__graph *net, int tensor, const crd__graph_op *op) {
  const int maker = crd__graph_maker(net, tensor);
  return maker != CRD__NONE && net->nodes[maker].op == op ? maker : CRD__NONE;
}

static int output(const crd__graph *net, int node) { return net->nodes[node].outputs[0]; }
static int input(const crd__graph *net, int node, size_t i) { return net->nodes[node].inputs[i]; }

/* True if the node is d^2, by Pow or Mul. */
static bool is_square(const crd__graph *net, int node, int of) {
  float power;
  const crd__graph_node *const s = &net->nodes[node];
  if (s->inputs[0] != of) return false;
  return s->op == &crd__graph_op_mul
             ? s->inputs[1] == of
             : s->op == &crd__graph_op_pow && crd__graph_scalar(net, s->inputs[1], &power) &&
                   power == 2;
}

/* Match backwards from the quotient to x. */
static bool find_root(const crd__graph *net, parts *p, float *epsilon) {
  const int d = input(net, p->ratio, 0);
  p->centred = maker_of_kind(net, d, &crd__graph_op_sub);
  p->root = maker_of_kind(net, input(net, p->ratio, 1), &crd__graph_op_sqrt);
  if (p->centred == CRD__NONE || p->root == CRD__NONE) return false;
  p->sum = maker_of_kind(net, input(net, p->root, 0), &crd__graph_op_add);
  if (p->sum == CRD__NONE) return false;
  const size_t constant = crd__graph_scalar(net, input(net, p->sum, 0), epsilon) ? 0 : 1;
  if (!crd__graph_scalar(net, input(net, p->sum, constant), epsilon)) return false;
  p->variance = maker_of_kind(net, input(net, p->sum, !constant), &crd__graph_op_reduce_mean);
  p->mean = maker_of_kind(net, input(net, p->centred, 1), &crd__graph_op_reduce_mean);
  if (p->variance == CRD__NONE || p->mean == CRD__NONE) return false;
  p->square = crd__graph_maker(net, input(net, p->variance, 0));
  return p->square != CRD__NONE && is_square(net, p->square, d) &&
         input(net, p->mean, 0) == input(net, p->centred, 0);
}

/* True if nodes outside the pattern read none of the values to be removed. */
static bool is_closed(const crd__graph *net, const parts *p) {
  const int once[] = { p->mean, p->square, p->variance, p->sum, p->root };
  for (size_t i = 0; i < sizeof once / sizeof *once; i++)
    if (crd__graph_reader(net, output(net, once[i])) == CRD__NONE) return false;
  return crd__graph_read_only_by(net, output(net, p->centred), p->square, p->ratio);
}

/* Return the only reader of `node` if it is of that kind and combines it with a constant; sets
 * *constant. */
static int find_affine(const crd__graph *net, int node, const crd__graph_op *op, int *constant) {
  const int reader = crd__graph_reader(net, output(net, node));
  if (reader == CRD__NONE || net->nodes[reader].op != op) return CRD__NONE;
  *constant = input(net, reader, input(net, reader, 0) == output(net, node));
  const crd__engine_tensor *const t = &net->engine.tensors[*constant];
  return crd__engine_tensor_given(t) && t->dtype == CRD_F32 ? reader : CRD__NONE;
}

/* True if both means are over the last dimensions, those of the scale. */
static bool shapes_fit(const crd__graph *net, const parts *p, int scale, int shift) {
  const crd__engine_tensor *const x = &net->engine.tensors[input(net, p->mean, 0)];
  const crd__engine_tensor *const s = &net->engine.tensors[scale];
  if (x->dtype != CRD_F32 || !s->rank || s->rank > x->rank) return false;
  const size_t axis = x->rank - s->rank;
  const int means[] = { output(net, p->mean), output(net, p->variance) };
  for (size_t k = 0; k < 2; k++) {
    const crd__engine_tensor *const m = &net->engine.tensors[means[k]];
    if (m->rank != x->rank) return false;
    for (size_t i = 0; i < x->rank; i++)
      if (m->dims[i] != (i < axis ? x->dims[i] : 1)) return false;
  }
  const crd__engine_tensor *const t = &net->engine.tensors[shift == CRD__NONE ? scale : shift];
  return crd__engine_same_shape(s->rank, s->dims, x->rank - axis, x->dims + axis) &&
         crd__engine_same_shape(s->rank, s->dims, t->rank, t->dims);
}

static crd_status rewrite(crd_context *ctx, crd__graph *net, const parts *p, float epsilon,
                          int scale, int shift) {
  const int going[] = { p->mean, p->centred, p->square, p->variance, p->sum, p->root };
  const int inputs[] = { input(net, p->mean, 0), scale, shift };
  const crd__onnx_attribute attributes[] = {
    { .name = "axis", .type = CRD__ATTRIBUTE_INT, .i = -(int64_t)net->engine.tensors[scale].rank },
    { .name = "epsilon", .type = CRD__ATTRIBUTE_FLOAT, .f = epsilon },
  };
  for (size_t i = 0; i < sizeof going / sizeof *going; i++) net->nodes[going[i]].gone = true;
  if (p->shifted != CRD__NONE) net->nodes[p->scaled].gone = true;
  CRD_TRY(crd__graph_replace(ctx, net, (size_t)p->ratio, &crd__graph_op_layer_normalization, 3,
                             inputs, 2, attributes));
  return crd__graph_absorb(ctx, net, (size_t)p->ratio,
                           (size_t)(p->shifted != CRD__NONE ? p->shifted : p->scaled));
}

static crd_status layer_norm_apply(crd_context *ctx, crd__graph *net, size_t n) {
  parts p = { .ratio = (int)n };
  float epsilon;
  int scale = CRD__NONE, shift = CRD__NONE;
  if (net->nodes[n].op != &crd__graph_op_div || !find_root(net, &p, &epsilon) ||
      !is_closed(net, &p))
    return CRD_OK;
  p.scaled = find_affine(net, p.ratio, &crd__graph_op_mul, &scale);
  if (p.scaled == CRD__NONE) return CRD_OK;
  p.shifted = find_affine(net, p.scaled, &crd__graph_op_add, &shift);
  if (p.shifted == CRD__NONE) shift = CRD__NONE;
  return shapes_fit(net, &p, scale, shift) ? rewrite(ctx, net, &p, epsilon, scale, shift) : CRD_OK;
}

const crd__graph_rule crd__graph_rule_layer_norm = { "layer_norm", layer_norm_apply };

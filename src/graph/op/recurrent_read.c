/*
 * recurrent_read.c -- the attributes of LSTM, GRU and RNN.
 *
 * Functions that have parameters take them from activation_alpha and activation_beta in turn, the
 * others take none. Where these lists end, the defaults of the operators of the same name hold;
 * Affine and ScaledTanh are no operators, and have none.
 */
#include "graph/op/recurrent.h"

#include <math.h>

/* A function of ONNX, y = out f(in x; a, b) + shift (kernel/recurrent/activation.h), and where its
 * alpha and beta go. */
typedef struct {
  const char *name;
  crd__kernel_unary_id id;
  bool alpha, beta, required; /* which parameters it has, and whether they have no default */
  double alpha_default, beta_default;
} named;

static const named functions[] = {
  { "Sigmoid", CRD__UNARY_SIGMOID, 0, 0, 0, 0, 0 },
  { "Tanh", CRD__UNARY_TANH, 0, 0, 0, 0, 0 },
  { "Relu", CRD__UNARY_RELU, 0, 0, 0, 0, 0 },
  { "Affine", CRD__UNARY_CLIP, 1, 1, 1, 0, 0 },
  { "LeakyRelu", CRD__UNARY_LEAKY_RELU, 1, 0, 0, (double)0.01F, 0 },
  { "ThresholdedRelu", CRD__UNARY_THRESHOLDED_RELU, 1, 0, 0, 1, 0 },
  { "ScaledTanh", CRD__UNARY_TANH, 1, 1, 1, 0, 0 },
  { "HardSigmoid", CRD__UNARY_HARD_SIGMOID, 1, 1, 0, (double)0.2F, 0.5 },
  { "Elu", CRD__UNARY_ELU, 1, 0, 0, 1, 0 },
  { "Softsign", CRD__UNARY_SOFTSIGN, 0, 0, 0, 0, 0 },
  { "Softplus", CRD__UNARY_SOFTPLUS, 0, 0, 0, 0, 0 },
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

/* The defaults: f, g and a. */
static const crd__kernel_activation sigmoid = { CRD__UNARY_SIGMOID, 0, 0, 1, 1, 0 },
                                    hyperbolic = { CRD__UNARY_TANH, 0, 0, 1, 1, 0 };

static const named *find(crd__onnx_span name) {
  size_t i = 0;
  while (i < FUNCTIONS && !crd__onnx_span_is(name, functions[i].name)) i++;
  return i < FUNCTIONS ? &functions[i] : NULL;
}

/* Return the greatest number below x in the type that the layer is computed in: x >= alpha is the
 * same as x > that number. */
static double below(crd_dtype dtype, double x) {
  return dtype == CRD_F64 ? nextafter(x, -(double)INFINITY)
                          : (double)nextafterf((float)x, -INFINITY);
}

static crd__kernel_activation function_of(const named *f, crd_dtype dtype, double alpha,
                                          double beta) {
  crd__kernel_activation out = { .id = f->id, .a = alpha, .b = beta, .in = 1, .out = 1 };
  if (f->id == CRD__UNARY_THRESHOLDED_RELU) out.a = below(dtype, alpha);
  if (!f->required) return out;
  out.out = alpha;
  if (f->id == CRD__UNARY_TANH) out.in = beta; /* ScaledTanh */
  else { /* Affine: nothing is clipped */ out.shift = beta;
    out.a = -(double)INFINITY;
    out.b = (double)INFINITY;
  }
  return out;
}

/* A list of parameters, and how many of them have been taken. */
typedef struct {
  const char *name;
  const crd__onnx_attribute *list;
  size_t next;
} parameters;

static crd_status take(crd_context *ctx, const crd__graph_node *node, const named *f, bool has,
                       double fallback, parameters *from, double *out) {
  *out = fallback;
  if (!has) return CRD_OK;
  if (from->list && from->next < from->list->count) *out = (double)from->list->floats[from->next++];
  else if (f->required)
    return crd__graph_node_fail(ctx, node, "its function %s has no parameter in '%s'", f->name,
                                from->name);
  return CRD_OK;
}

static crd_status read_function(crd_context *ctx, const crd__graph_node *node, crd__onnx_span name,
                                crd_dtype dtype, parameters lists[2], crd__kernel_activation *out) {
  const named *const f = find(name);
  double alpha = 0, beta = 0;
  if (!f)
    return crd__graph_node_fail(
        ctx, node,
        "its function '%.*s' is not supported; Sigmoid, Tanh, Relu, Affine, LeakyRelu, "
        "ThresholdedRelu, ScaledTanh, HardSigmoid, Elu, Softsign and Softplus are",
        (int)(name.length < 40 ? name.length : 40), (const char *)name.bytes);
  CRD_TRY(take(ctx, node, f, f->alpha, f->alpha_default, &lists[0], &alpha));
  CRD_TRY(take(ctx, node, f, f->beta, f->beta_default, &lists[1], &beta));
  *out = function_of(f, dtype, alpha, beta);
  return CRD_OK;
}

crd_status crd__graph_recurrent_functions(crd_context *ctx, const crd__graph_node *node,
                                          crd__kernel_recurrent *out) {
  static const size_t counts[] = { [CRD__LSTM] = 3, [CRD__GRU] = 2, [CRD__RNN] = 1 };
  const size_t each = counts[out->cell], count = each * out->directions;
  const crd__onnx_attribute *const names = crd__graph_node_attribute(node, "activations");
  parameters lists[2] = { { .name = "activation_alpha" }, { .name = "activation_beta" } };
  for (size_t i = 0; i < 2; i++) {
    out->functions[i][0] = out->cell == CRD__RNN ? hyperbolic : sigmoid;
    out->functions[i][1] = out->functions[i][2] = hyperbolic;
    lists[i].list = crd__graph_node_attribute(node, lists[i].name);
  }
  if (!names) return CRD_OK;
  /* One direction may come with the functions of two: the default of RNN's attribute does. */
  if (names->count != count && names->count != 2 * each)
    return crd__graph_node_fail(ctx, node, "it has %zu activation functions, expected %zu",
                                names->count, count);
  for (size_t i = 0; i < count; i++)
    CRD_TRY(read_function(ctx, node, names->strings[i], out->dtype, lists,
                          &out->functions[i / each][i % each]));
  return CRD_OK;
}

static crd_status read_direction(crd_context *ctx, const crd__graph_node *node,
                                 crd__kernel_recurrent *out) {
  const bool both = crd__graph_node_word_is(node, "direction", "bidirectional", "forward");
  out->reverse = crd__graph_node_word_is(node, "direction", "reverse", "forward");
  out->directions = both ? 2 : 1;
  if (both || out->reverse || crd__graph_node_word_is(node, "direction", "forward", "forward"))
    return CRD_OK;
  return crd__graph_node_fail(
      ctx, node, "its 'direction' must be one of 'forward', 'reverse' and 'bidirectional'");
}

static crd_status read_sizes(crd_context *ctx, const crd__graph *net, const crd__graph_node *node,
                             crd__kernel_recurrent *out) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, CRD__RECURRENT_X);
  const crd__engine_tensor *const r = crd__graph_node_input(net, node, CRD__RECURRENT_R);
  const int64_t layout = crd__graph_node_int(node, "layout", 0);
  if (x->rank != 3 || r->rank != 3)
    return crd__graph_node_fail(ctx, node,
                                "its inputs X and R have %zu and %zu dimensions; 3 are needed",
                                x->rank, r->rank);
  if (layout != 0 && layout != 1)
    return crd__graph_node_fail(ctx, node, "its 'layout' is %lld; 0 and 1 are allowed",
                                (long long)layout);
  out->dtype = x->dtype;
  out->batch_first = layout == 1;
  out->steps = (size_t)x->dims[layout];
  out->batch = (size_t)x->dims[!layout];
  out->inputs = (size_t)x->dims[2];
  out->hidden = (size_t)r->dims[2];
  const int64_t hidden = crd__graph_node_int(node, "hidden_size", r->dims[2]);
  if (hidden != r->dims[2])
    return crd__graph_node_fail(ctx, node,
                                "its 'hidden_size' is %lld, but the last dimension of R "
                                "is %lld",
                                (long long)hidden, (long long)r->dims[2]);
  return CRD_OK;
}

crd_status crd__graph_recurrent_read(crd_context *ctx, const crd__graph *net,
                                     const crd__graph_node *node, crd__kernel_recurrent *out) {
  *out = (crd__kernel_recurrent){
    .cell = (crd__kernel_cell)node->op->kind,
    .coupled = crd__graph_node_int(node, "input_forget", 0) != 0,
    .linear_first = crd__graph_node_int(node, "linear_before_reset", 0) != 0,
    .peepholes = crd__graph_node_input(net, node, CRD__RECURRENT_P) != NULL,
    .limit = (double)crd__graph_node_float(node, "clip", INFINITY),
  };
  if (!(out->limit >= 0))
    return crd__graph_node_fail(ctx, node, "its 'clip' is %g; it must not be negative", out->limit);
  CRD_TRY(read_direction(ctx, node, out));
  CRD_TRY(read_sizes(ctx, net, node, out));
  return crd__graph_recurrent_functions(ctx, node, out);
}

crd_status crd__graph_recurrent_check(crd_context *ctx, const crd__graph_node *node,
                                      const crd__kernel_recurrent *k, size_t row, double length) {
  if (length >= 0 && length <= (double)k->steps) return CRD_OK;
  return crd__graph_node_fail(ctx, node, "the length of sequence %zu is %.0f; 0 to %zu are allowed",
                              row, length, k->steps);
}

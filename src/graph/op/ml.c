/* ml.c -- see ml.h. */
#include "graph/op/ml.h"

#include "engine/kernel/element.h"

#include <math.h>
#include <stdio.h>

/* ---- Matrices. */

crd_status crd__graph_ml_matrix(crd_context *ctx, const crd__graph *net,
                                const crd__graph_node *node, size_t index, crd__graph_matrix *out) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, index);
  if (x->rank != 1 && x->rank != 2)
    return crd__graph_node_fail(ctx, node, "its input has %zu dimensions; 1 or 2 are supported",
                                x->rank);
  out->rows = x->rank == 1 ? 1 : (size_t)x->dims[0];
  out->columns = (size_t)x->dims[x->rank - 1];
  return CRD_OK;
}

crd_status crd__graph_ml_set(crd_context *ctx, crd__graph *net, const crd__graph_node *node,
                             size_t index, crd_dtype dtype, size_t rows, size_t columns) {
  const int64_t dims[] = { (int64_t)rows, (int64_t)columns };
  return crd__graph_node_set(ctx, net, node, index, dtype, columns ? 2 : 1, dims);
}

typedef struct {
  crd_dtype from;
  size_t count;
} casting;

static crd_status run_cast(crd_context *ctx, const crd__engine_step *step) {
  const casting *const c = step->self;
  (void)ctx;
  crd__kernel_cast(step->threads, c->from, CRD_F32, c->count, step->memory[0], step->memory[1]);
  return CRD_OK;
}

/* Find the place of the first input as float32. */
static crd_status find_floats(crd_context *ctx, crd__engine_plan *plan, const crd__graph_node *node,
                              int *place) {
  const crd__engine_tensor x = *crd__graph_node_input(crd__graph_plan_net(plan), node, 0);
  const casting c = { x.dtype, crd__engine_tensor_count(&x) };
  int tensor, places[2];
  CRD_TRY(crd__engine_plan_plain(ctx, plan, node->inputs[0], &places[0]));
  *place = places[0];
  if (x.dtype == CRD_F32) return CRD_OK;
  CRD_TRY(crd__engine_plan_tensor(ctx, plan, x.name, x.rank, x.dims, &tensor));
  CRD_TRY(crd__engine_plan_output(ctx, plan, tensor, &places[1]));
  *place = places[1];
  return crd__engine_plan_step(ctx, plan, node, run_cast, &c, sizeof c, 2, places);
}

crd_status crd__graph_ml_plan(crd_context *ctx, crd__engine_plan *plan, const crd__graph_node *node,
                              crd__engine_step_fn run, const void *self, size_t size) {
  int places[3];
  CRD_TRY(find_floats(ctx, plan, node, &places[0]));
  for (size_t i = 0; i < node->output_count; i++)
    CRD_TRY(crd__engine_plan_output(ctx, plan, node->outputs[i], &places[1 + i]));
  return crd__engine_plan_step(ctx, plan, node, run, self, size, 1 + node->output_count, places);
}

/* ---- Lists. */

crd_status crd__graph_ml_count(crd_context *ctx, const crd__graph_node *node, const char *name,
                               size_t found, size_t wanted) {
  if (found == wanted) return CRD_OK;
  return crd__graph_node_fail(ctx, node, "its '%s' has %zu elements, expected %zu", name, found,
                              wanted);
}

crd_status crd__graph_ml_numbers(crd_context *ctx, const crd__graph_node *node, const char *name,
                                 crd__graph_numbers *out) {
  char twin[64];
  *out = (crd__graph_numbers){ .count = 0 };
  snprintf(twin, sizeof twin, "%s_as_tensor", name);
  const crd__onnx_attribute *a = crd__graph_node_attribute(node, name);
  const crd__onnx_attribute *const t = crd__graph_node_attribute(node, twin);
  if (a && a->count && t)
    return crd__graph_node_fail(ctx, node, "it has both '%s' and '%s'", name, twin);
  if (t) a = t;
  if (!a) return CRD_OK;
  if (a->type == CRD__ATTRIBUTE_TENSOR && (!a->t->numbers || a->t->strings))
    return crd__graph_node_fail(ctx, node, "its '%s' is not of numbers", a->name);
  *out = (crd__graph_numbers){ .count = a->count, .floats = a->floats, .ints = a->ints };
  if (a->type != CRD__ATTRIBUTE_TENSOR) return CRD_OK;
  *out =
      (crd__graph_numbers){ .count = a->t->count, .dtype = a->t->dtype, .elements = a->t->bytes };
  return CRD_OK;
}

double crd__graph_ml_number(const crd__graph_numbers *numbers, size_t index) {
  if (numbers->floats) return (double)numbers->floats[index];
  if (numbers->ints) return (double)numbers->ints[index];
  const crd__engine_tensor tensor = { .dtype = numbers->dtype,
                                      .constant = numbers->elements,
                                      .rank = 1,
                                      .dims = { (int64_t)numbers->count } };
  return crd__engine_tensor_number(&tensor, index);
}

crd_status crd__graph_ml_labels(crd_context *ctx, const crd__graph_node *node, const char *ints,
                                crd__graph_labels *out) {
  const crd__onnx_attribute *const a = crd__graph_node_attribute(node, ints);
  const crd__onnx_attribute *const s = crd__graph_node_attribute(node, "classlabels_strings");
  const size_t integers = a ? a->count : 0, names = s ? s->count : 0;
  *out = (crd__graph_labels){ .count = integers + names, .ints = integers ? a->ints : NULL };
  if (!integers != !names) return CRD_OK;
  return crd__graph_node_fail(ctx, node, "it has %s",
                              integers ? "two lists of class labels" : "no class labels");
}

crd_status crd__graph_ml_set_classes(crd_context *ctx, crd__graph *net, const crd__graph_node *node,
                                     size_t rows, size_t columns) {
  CRD_TRY(crd__graph_ml_set(ctx, net, node, 0, CRD_I64, rows, 0));
  const crd__onnx_attribute *const s = crd__graph_node_attribute(node, "classlabels_strings");
  net->engine.tensors[node->outputs[0]].strings = s && s->count;
  return crd__graph_ml_set(ctx, net, node, 1, CRD_F32, rows, columns);
}

/* ---- Scores. */

crd_status crd__graph_ml_post(crd_context *ctx, const crd__graph_node *node, crd__graph_post *out) {
  static const char *const words[CRD__POST_COUNT] = { "NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO",
                                                      "PROBIT" };
  for (int i = 0; i < CRD__POST_COUNT; i++) {
    *out = (crd__graph_post)i;
    if (crd__graph_node_word_is(node, "post_transform", words[i], "NONE")) return CRD_OK;
  }
  return crd__graph_node_fail(ctx, node,
                              "its 'post_transform' is none of NONE, SOFTMAX, LOGISTIC, "
                              "SOFTMAX_ZERO and PROBIT");
}

size_t crd__graph_ml_top(size_t count, const double *scores) {
  size_t top = 0;
  for (size_t k = 1; k < count; k++)
    if (scores[k] > scores[top]) top = k;
  return top;
}

static double logistic(double s) { return s < 0 ? exp(s) / (1 + exp(s)) : 1 / (1 + exp(-s)); }

/* The inverse of the normal distribution function, with the approximation of erf^-1 of Winitzki
 * that other implementations of ONNX use: a = 0.147. */
static double probit(double p) {
  const double pi = 3.14159, a = .147, x = 2 * p - 1, l = log((1 - x) * (1 + x));
  const double v = 2 / (pi * a) + l / 2;
  return sqrt(2.) * copysign(sqrt(sqrt(v * v - l / a) - v), x);
}

static void transform_none(size_t count, double *s) { (void)count, (void)s; }

static void transform_softmax(size_t count, double *s) {
  const double most = count ? s[crd__graph_ml_top(count, s)] : 0;
  double sum = 0;
  for (size_t k = 0; k < count; k++) sum += exp(s[k] - most);
  for (size_t k = 0; k < count; k++) s[k] = exp(s[k] - most) / sum;
}

/* A softmax of the scores that are not 0; the others stay 0. */
static void transform_softmax_zero(size_t count, double *s) {
  const double most = count ? s[crd__graph_ml_top(count, s)] : 0;
  double sum = 0;
  for (size_t k = 0; k < count; k++)
    if (fabs(s[k]) > 1e-7) sum += exp(s[k] - most);
  for (size_t k = 0; k < count; k++) s[k] = fabs(s[k]) > 1e-7 ? exp(s[k] - most) / sum : 0;
}

static void transform_logistic(size_t count, double *s) {
  for (size_t k = 0; k < count; k++) s[k] = logistic(s[k]);
}

static void transform_probit(size_t count, double *s) {
  for (size_t k = 0; k < count; k++) s[k] = probit(s[k]);
}

void crd__graph_ml_transform(crd__graph_post post, size_t count, double *scores) {
  static void (*const transforms[CRD__POST_COUNT])(size_t, double *) = {
    [CRD__POST_NONE] = transform_none,         [CRD__POST_SOFTMAX] = transform_softmax,
    [CRD__POST_LOGISTIC] = transform_logistic, [CRD__POST_SOFTMAX_ZERO] = transform_softmax_zero,
    [CRD__POST_PROBIT] = transform_probit,
  };
  transforms[post](count, scores);
}

void crd__graph_ml_second(crd__graph_post post, bool odd, double score, double scores[2]) {
  const bool bent = post == CRD__POST_LOGISTIC || post == CRD__POST_PROBIT;
  scores[0] = odd || post == CRD__POST_LOGISTIC ? -score : 1 - score;
  scores[1] = score;
  if (bent) crd__graph_ml_transform(post, 2, scores);
}

crd_status crd__graph_ml_scores(crd_context *ctx, crd__engine_plan *plan, size_t rows, size_t count,
                                double **out) {
  return crd__engine_memory(ctx, &crd__graph_plan_net(plan)->engine, rows * count, sizeof **out,
                            out);
}

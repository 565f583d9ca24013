/*
 * gradients_test.c -- every operator's backward pass against finite differences of its reference.
 *
 * For a node with outputs y and random c, the gradient of sum c y with respect to each input
 * element must be (f(x + h) - f(x - h)) / 2h, with f the float64 reference: with h = 1e-5 the
 * difference errs in the tenth digit, and the engine in the seventh. The tolerance is the rounding
 * of the sum: some epsilons per term, times the magnitudes of the terms.
 *
 * Each case of operator_cases.h with inputs of float16, bfloat16 and float32 is run three times:
 * frozen with all inputs given, frozen with weights in the model, and in training, where weights
 * have gradients too. Where the two one-sided differences disagree there is a kink, or no
 * derivative: such elements are skipped and counted.
 */
#include "base/random.h"
#include "modelkit/modelkit.h"
#include "support.h"

#include "operator_cases.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  CASES = sizeof cases / sizeof *cases,
  WHY = 300,
  PICKS = 32,
  ROUNDINGS = 24,
  OPERATORS = 256
};
static const double width = 1e-5, kink = 1e-3, skipped_share = .02;
/* Their output does not depend on the values of their inputs, is of integers, or has steps. */
static const char *const flat[] = {
  "And",       "ArgMax",     "ArgMin", "BitShift",    "BitwiseAnd",     "BitwiseNot",
  "BitwiseOr", "BitwiseXor", "Ceil",   "Compress",    "Constant",       "ConstantOfShape",
  "Equal",     "EyeLike",    "Floor",  "Greater",     "GreaterOrEqual", "Hardmax",
  "IsInf",     "IsNaN",      "Less",   "LessOrEqual", "NonZero",        "Not",
  "Or",        "Range",      "Round",  "Shape",       "Sign",           "Size",
  "Xor",
};

typedef enum { GIVEN, WEIGHTS, TRAINING, WAYS } way;
static const char *const way_names[WAYS] = { "inputs given", "weights in the model", "training" };

typedef struct {
  size_t compared, skipped;
} tally;
/* Operators of classical machine learning have no gradient, except one that moves data only; nor
 * have those that compute integers of quantised tensors. */
static bool is_discrete(const char *op) {
  return (!strncmp(op, "ai.onnx.ml.", 11) && strcmp(op, "ai.onnx.ml.ZipMap") != 0) ||
         strstr(op, "QLinear") || strstr(op, "QGemm") || strstr(op, "uantize") ||
         strstr(op, "Integer");
}

static bool is_flat(const char *op) {
  if (is_discrete(op)) return true;
  for (size_t i = 0; i < sizeof flat / sizeof *flat; i++)
    if (!strcmp(op, flat[i])) return true;
  return false;
}

static bool is_norm(const net_task *t) { return !strcmp(t->node.op, "BatchNormalization"); }

/* Running statistics are not parameters: they have no gradient. */
static bool is_statistic(const net_task *t, size_t input) { return is_norm(t) && input >= 3; }

/* A normalization whose scale is an input of the network is unsupported. */
static bool is_constant(const net_task *t, size_t input, way how) {
  return t->inputs[input].shaping || (input > 0 && (how != GIVEN || is_norm(t)));
}

/* Types that are computed in float32, which networks with gradients take in their place. */
static bool is_float32(crd_dtype dtype) {
  return dtype == CRD_F32 || dtype == CRD_F16 || dtype == CRD_BF16;
}

static bool varies(const net_task *t, size_t input) {
  return t->inputs[input].given && !t->inputs[input].shaping && !is_statistic(t, input) &&
         is_float32(t->inputs[input].tensor.dtype);
}

/* ---- Differences of the reference. */

/* The node that training evaluates. */
static ref_node reference(const net_task *t, way how, ref_attribute attributes[]) {
  ref_node node = t->node;
  size_t count = 0;
  memset(node.outputs, 0, sizeof node.outputs);
  if (how != TRAINING || !is_norm(t)) return node;
  for (; node.attributes[count].name; count++) attributes[count] = node.attributes[count];
  for (size_t i = 0; i < count; i++)
    if (!strcmp(attributes[i].name, "training_mode")) attributes[i].name = "was_training_mode";
  attributes[count] = (ref_attribute){ "training_mode", REF_INT, 1, { 1 }, NULL, NULL };
  attributes[count + 1] = (ref_attribute){ .name = NULL };
  node.attributes = attributes;
  return node;
}

typedef struct {
  bool smooth;
  double slope, size; /* of the sum; of the absolute terms */
  double largest;     /* largest factor of a term */
  size_t terms;
} difference;

static double *outputs_at(const ref_node *like, size_t output, double *at, double value) {
  const double before = *at;
  ref_node node = *like;
  *at = value;
  assert_true(ref_compute(&node));
  *at = before;
  double *const values = node.outputs[output].values;
  node.outputs[output].values = NULL;
  ref_clear(&node);
  return values;
}

/* Cast rounds but is linear: a wide step. Large values need a step that changes them in float64. */
static double step_of(const ref_node *node, double x) {
  return strncmp(node->op, "Cast", 4) == 0 ? .25 : fmax(width, 1e-7 * fabs(x));
}

static difference differentiate(const ref_node *node, size_t output, size_t count,
                                const double *middle, const float *factors, double *at) {
  const double x = *at, h = step_of(node, x);
  double *const low = outputs_at(node, output, at, x - h);
  double *const high = outputs_at(node, output, at, x + h);
  double left = 0, right = 0;
  difference d = { 0 };
  for (size_t i = 0; i < count; i++) {
    if (low[i] == middle[i] && middle[i] == high[i]) continue;
    const double c = (double)factors[i];
    left += c * (middle[i] - low[i]) / h;
    right += c * (high[i] - middle[i]) / h;
    d.size += fabs(c) * (fabs(high[i] - middle[i]) + fabs(middle[i] - low[i])) / (2 * h);
    d.largest = fmax(d.largest, fabs(c));
    d.terms++;
  }
  d.slope = (left + right) / 2;
  d.smooth = d.size <= (double)FLT_MAX && fabs(right - left) <= kink * d.size;
  free(low);
  free(high);
  return d;
}

/* Derivatives between 0 and 1 computed from values near 1 have an error of an epsilon, hence
 * `largest`. */
static double allowed(const difference *d) {
  return (double)FLT_EPSILON * ((double)(d->terms + ROUNDINGS) * d->size + ROUNDINGS * d->largest);
}

static size_t picks_of(const ref_tensor *x) { return ref_count(x) < PICKS ? ref_count(x) : PICKS; }

/* Multiples of a prime, scattered over the tensor. */
static size_t picked(const ref_tensor *x, size_t pick) {
  return ref_count(x) <= PICKS ? pick : pick * 7919 % ref_count(x);
}

/* The reference's derivatives of one output with respect to each input, outside training and in it.
 */
typedef struct {
  net_task *task;
  size_t output;
  float *factors; /* dL/dy of this output */
  struct {
    bool made;
    difference list[PICKS];
  } by[NET_INPUTS_MAX][2];
} question;

static const difference *differences(question *q, size_t input, way how) {
  const bool training = how == TRAINING && is_norm(q->task);
  difference *const list = q->by[input][training].list;
  if (q->by[input][training].made) return list;
  ref_attribute attributes[NET_ATTRIBUTES_MAX + 2];
  const ref_node node = reference(q->task, how, attributes);
  const ref_tensor *const x = &q->task->inputs[input].tensor;
  const size_t outputs = ref_count(&q->task->node.outputs[q->output]), picks = picks_of(x);
  double *const middle = picks ? outputs_at(&node, q->output, x->values, x->values[0]) : NULL;
  for (size_t k = 0; k < picks; k++)
    list[k] =
        differentiate(&node, q->output, outputs, middle, q->factors, &x->values[picked(x, k)]);
  free(middle);
  q->by[input][training].made = true;
  return list;
}

static void open_question(net_task *t, size_t output, question *q) {
  const size_t numbers = ref_count(&t->node.outputs[output]);
  *q = (question){ .task = t, .output = output };
  q->factors = calloc(numbers + 1, sizeof *q->factors);
  assert_non_null(q->factors);
  for (size_t i = 0; i < numbers; i++)
    q->factors[i] = (float)(2 * crd__random_uniform(7, output, i) - 1);
}

/* ---- The engine. */

typedef struct {
  crd_context *ctx;
  question *asked;
  const net_task *task;
  way how;
  crd_model *model;
  crd_network *network;
  crd__text bytes;
  void *given[NET_INPUTS_MAX];
} trial;

static void close_trial(trial *r) {
  crd_network_destroy(r->network);
  crd_model_destroy(r->model);
  crd__text_clear(&r->bytes);
  for (size_t i = 0; i < NET_INPUTS_MAX; i++) free(r->given[i]);
}

static crd_status go(trial *r, const crd_array *inputs, size_t count) {
  const ref_tensor *const y = &r->task->node.outputs[r->asked->output];
  crd_array gradient = net_view(y, r->asked->factors);
  gradient.dtype = CRD_F32;
  const crd_mode mode = r->how == TRAINING ? CRD_MODE_TRAINING : CRD_MODE_INPUT_GRADIENT;
  const crd_compile_options options = { .size = sizeof options, .mode = mode };
  CRD_TRY(crd_model_open_memory(r->ctx, "case.onnx", r->bytes.bytes, r->bytes.length, &r->model));
  CRD_TRY(crd_network_compile(r->ctx, r->model, &options, &r->network));
  CRD_TRY(crd_network_run(r->ctx, r->network, inputs, count));
  return crd_network_backward(r->ctx, r->network, &gradient);
}

static crd_status open_trial(trial *r) {
  const net_task *const t = r->task;
  crd_array inputs[NET_INPUTS_MAX];
  bool constant[NET_INPUTS_MAX];
  size_t count = 0;
  for (size_t i = 0; i < t->node.input_count; i++) {
    constant[i] = is_constant(t, i, r->how);
    if (!t->inputs[i].given || constant[i]) continue;
    ref_tensor taken = t->inputs[i].tensor;
    if (is_float32(taken.dtype)) taken.dtype = CRD_F32;
    r->given[i] = net_store(&taken);
    inputs[count++] = net_view(&taken, r->given[i]);
  }
  crd__text_init(&r->bytes, &r->ctx->alloc);
  net_model(&t->node, constant, r->asked->output, &r->bytes);
  return go(r, inputs, count);
}

/* Returns the gradient with respect to an input of the node, which is an input of the network or a
 * parameter; NULL if it has none. */
static const float *gradient_wrt(const trial *r, size_t input) {
  char name[NET_NAME_MAX];
  const crd_parameter *p;
  size_t place = 0;
  snprintf(name, sizeof name, "x%zu", input);
  if (is_constant(r->task, input, r->how)) {
    for (size_t i = 0; (p = crd_network_parameter(r->network, i)); i++)
      if (!strcmp(p->name, name)) return p->gradient;
    return NULL;
  }
  for (size_t i = 0; i < input; i++)
    place += r->task->inputs[i].given && !is_constant(r->task, i, r->how);
  const crd_array *const g = crd_network_input_gradient(r->network, place);
  return g ? g->data : NULL;
}

/* ---- The comparison. */

static bool input_agrees(const trial *r, size_t input, tally *sum, char why[WHY]) {
  const ref_tensor *const x = &r->task->inputs[input].tensor;
  const float *const gradient = gradient_wrt(r, input);
  const difference *const theirs = differences(r->asked, input, r->how);
  if (!gradient && ref_count(x)) {
    snprintf(why, WHY, "no gradient with respect to input %zu", input);
    return false;
  }
  for (size_t k = 0; gradient && k < picks_of(x); k++) {
    const difference d = theirs[k];
    const double ours = (double)gradient[picked(x, k)];
    sum->compared += d.smooth;
    sum->skipped += !d.smooth;
    if (!d.smooth || fabs(ours - d.slope) <= allowed(&d)) continue;
    snprintf(why, WHY,
             "the gradient with respect to input %zu at %zu is %.9g, expected %.9g (allowed is a "
             "difference of %.2g)",
             input, picked(x, k), ours, d.slope, allowed(&d));
    return false;
  }
  return true;
}

/* In training a scalar in the model is a setting, not a parameter. */
static bool wants(const net_task *t, size_t input, way how) {
  if (!is_constant(t, input, how)) return varies(t, input);
  return varies(t, input) && how == TRAINING && t->inputs[input].tensor.rank > 0;
}

/* Gradients of further outputs of LayerNormalization and Attention, and of a convolution that is
 * padded far, may be unsupported, but not wrong. */
static bool may_refuse(const trial *r) {
  const char *const op = r->task->node.op;
  if (!strcmp(op, "Conv")) return ref_count(&r->task->node.outputs[0]) > 4096;
  return (!strcmp(op, "LayerNormalization") || !strcmp(op, "Attention")) && r->asked->output > 0;
}

static bool holds(crd_context *ctx, question *q, way how, tally *sum, char why[WHY]) {
  trial r = { .ctx = ctx, .asked = q, .task = q->task, .how = how };
  bool fine = open_trial(&r) == CRD_OK;
  const bool refused = !fine && may_refuse(&r);
  if (!fine) snprintf(why, WHY, "%s", crd_context_message(ctx));
  for (size_t i = 0; fine && i < q->task->node.input_count; i++)
    if (wants(q->task, i, how)) fine = input_agrees(&r, i, sum, why);
  close_trial(&r);
  return fine || refused;
}

static bool any_wants(const net_task *t, way how) {
  for (size_t i = 0; i < t->node.input_count; i++)
    if (wants(t, i, how)) return true;
  return false;
}

/* Random masks have a test of their own. */
static bool is_asked(const net_task *t, way how, size_t output) {
  if (how == TRAINING && !strcmp(t->node.op, "Dropout")) return false;
  return t->node.outputs[output].dtype == CRD_F32 && !is_flat(t->node.op) && any_wants(t, how);
}

/* Tries each way, up to the first that fails. */
static bool output_agrees(crd_context *ctx, question *q, const net_words *words, tally *sum) {
  for (way how = GIVEN; how < WAYS; how++) {
    char why[WHY] = "";
    if (!is_asked(q->task, how, q->output) || holds(ctx, q, how, sum, why)) continue;
    print_error("%s (opset %d; %s; %s), output %zu, %s: %s\n", words->op, words->opset,
                words->inputs, words->attributes, q->output, way_names[how], why);
    return false;
  }
  return true;
}

static bool case_agrees(crd_context *ctx, net_task *t, const net_words *words, tally *sum) {
  bool fine = true;
  for (size_t output = 0; fine && output < t->node.output_count; output++) {
    question q;
    open_question(t, output, &q);
    fine = output_agrees(ctx, &q, words, sum);
    free(q.factors);
  }
  return fine;
}

static size_t number_of(const char *op) {
  const crd_operator_info *info;
  for (size_t i = 0; (info = crd_operator_at(i)); i++)
    if (!strcmp(info->name, op)) return i;
  fail_msg("%s is not an operator of networks", op);
  return 0;
}

/* Each operator with a gradient was compared, and few elements were skipped. */
static size_t count_unasked(const tally *sums) {
  const crd_operator_info *info;
  size_t unasked = 0, compared = 0, skipped = 0;
  for (size_t i = 0; (info = crd_operator_at(i)); i++) {
    compared += sums[i].compared;
    skipped += sums[i].skipped;
    if (sums[i].compared > sums[i].skipped || is_flat(info->name)) continue;
    print_error("%s: %zu elements were compared, and %zu skipped\n", info->name, sums[i].compared,
                sums[i].skipped);
    unasked++;
  }
  if ((double)skipped > skipped_share * (double)compared)
    fail_msg("%zu elements were compared, and %zu skipped", compared, skipped);
  return unasked;
}

static void gradients_agree(void **state) {
  static tally sums[OPERATORS];
  size_t wrong = 0;
  for (size_t number = 0; number < CASES; number++) {
    net_task t;
    net_task_open(&cases[number], number, &t);
    wrong += !case_agrees(*state, &t, &cases[number], &sums[number_of(cases[number].op)]);
    net_task_close(&t);
  }
  wrong += count_unasked(sums);
  assert_int_equal(wrong, 0);
}

/* An operator has a gradient, or is listed as flat. */
static void operators_have_gradients(void **state) {
  const crd_operator_info *info;
  size_t wrong = 0;
  (void)state;
  for (size_t i = 0; (info = crd_operator_at(i)); i++) {
    assert_true(i < OPERATORS);
    if (!info->backward_input == is_flat(info->name)) continue;
    print_error("%s %s\n", info->name,
                info->backward_input ? "has a gradient, and should not" : "has no gradient");
    wrong++;
  }
  assert_int_equal(wrong, 0);
}

/* Whatever the mask m, y = m x, and the gradient is m c. */
static void dropout_goes_back_as_it_came(void **state) {
  static const net_words words = { "Dropout", 11, "f32 40x50", "ratio=0.25", 0 };
  float before[2000] = { 0 };
  net_task t;
  question q;
  net_task_open(&words, 1, &t);
  open_question(&t, 0, &q);
  for (int run = 0; run < 2; run++) {
    trial r = { .ctx = *state, .asked = &q, .task = &t, .how = TRAINING };
    if (open_trial(&r) != CRD_OK) fail_msg("%s", crd_context_message(*state));
    const float *const x = r.given[0], *const y = crd_network_output(r.network, 0)->data;
    const float *const g = gradient_wrt(&r, 0);
    size_t dropped = 0;
    assert_non_null(g);
    for (size_t i = 0; i < 2000; i++) {
      const double m = y[i] == 0 ? 0 : 1 / .75;
      dropped += y[i] == 0;
      assert_true(near((double)y[i], m * (double)x[i], 1e-6));
      assert_true(near((double)g[i], m * (double)q.factors[i], 1e-6));
    }
    assert_in_range(dropped, 400, 600);
    if (run) assert_memory_equal(before, y, sizeof before); /* the mask depends on the seed only */
    memcpy(before, y, sizeof before);
    const crd_array again = net_view(&t.inputs[0].tensor, x);
    assert_int_equal(crd_network_run(*state, r.network, &again, 1), CRD_OK);
    assert_memory_not_equal(before, crd_network_output(r.network, 0)->data, sizeof before);
    close_trial(&r);
  }
  free(q.factors);
  net_task_close(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(operators_have_gradients),
    cmocka_unit_test(gradients_agree),
    cmocka_unit_test(dropout_goes_back_as_it_came),
  };
  if (!crd_operator_at(0)) {
    cannot_test_networks("gradients of operators");
    return 0;
  }
  return cmocka_run_group_tests(tests, open_context, close_context);
}

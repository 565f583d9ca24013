/*
 * recurrent.c -- LSTM, GRU and RNN, one sequence and one step after the other.
 *
 * Every number carries a bound of the error that rounding may cause, in units of epsilon: sums add
 * the errors of their terms, products add those of their factors times the other one, and a
 * function multiplies by its steepest slope.
 */
#include "ref/op.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { X, W, R, B, LENGTHS, H, C, P };

typedef struct {
  double v, e;
} num;

static num plus(num a, num b) { return (num){ a.v + b.v, a.e + b.e + fabs(a.v) + fabs(b.v) }; }
static num times(num a, num b) {
  return (num){ a.v * b.v, fabs(a.v) * b.e + fabs(b.v) * a.e + fabs(a.v * b.v) };
}
static num exactly(double v) { return (num){ v, 0 }; }
static num without(num a) { return plus(exactly(1), (num){ -a.v, a.e }); } /* 1 - a */

/* ---- Activation functions. */

typedef struct {
  double v, slope;
} curve;

static curve curve_of(const char *name, double alpha, double beta, double x) {
  if (!strcmp(name, "Sigmoid")) return (curve){ 1 / (1 + exp(-x)), .25 };
  if (!strcmp(name, "Tanh")) return (curve){ tanh(x), 1 };
  if (!strcmp(name, "Relu")) return (curve){ fmax(x, 0), 1 };
  if (!strcmp(name, "Affine")) return (curve){ alpha * x + beta, fabs(alpha) };
  if (!strcmp(name, "LeakyRelu")) return (curve){ x >= 0 ? x : alpha * x, fmax(1, fabs(alpha)) };
  if (!strcmp(name, "ThresholdedRelu")) return (curve){ x >= alpha ? x : 0, 1 };
  if (!strcmp(name, "ScaledTanh")) return (curve){ alpha * tanh(beta * x), fabs(alpha * beta) };
  if (!strcmp(name, "HardSigmoid"))
    return (curve){ fmin(fmax(alpha * x + beta, 0), 1), fabs(alpha) };
  if (!strcmp(name, "Elu")) return (curve){ x >= 0 ? x : alpha * expm1(x), fmax(1, fabs(alpha)) };
  if (!strcmp(name, "Softsign")) return (curve){ x / (1 + fabs(x)), 1 };
  if (!strcmp(name, "Softplus")) return (curve){ log1p(exp(x)), 1 };
  abort();
}

/* The words of the list have spaces around them. */
static bool is_one_of(const char *name, const char *list) {
  const char *const at = strstr(list, name);
  return at && at[-1] == ' ' && at[strlen(name)] == ' ';
}

static double parameter(const ref_node *node, const char *list, size_t index, double otherwise) {
  const ref_attribute *const a = ref_find(node, list);
  return a && index < a->count ? a->numbers[index] : otherwise;
}

static num clipped(const ref_node *node, num x) {
  const double limit = ref_number(node, "clip", (double)INFINITY);
  return (num){ fmax(-limit, fmin(limit, x.v)), x.e };
}

/* Apply the function of this index in the list; functions without a parameter take none. */
static num activate(const ref_node *node, size_t index, const char *otherwise, num x) {
  const ref_attribute *const a = ref_find(node, "activations");
  char name[32];
  size_t alphas = 0, betas = 0;
  const char *word = a ? a->word : otherwise;
  for (size_t i = 0;; i++) {
    const size_t length = strcspn(word, ",");
    memcpy(name, word, length);
    name[length] = 0;
    if (i == index || !a) break;
    alphas += is_one_of(name, " Affine LeakyRelu ThresholdedRelu ScaledTanh HardSigmoid Elu ");
    betas += is_one_of(name, " Affine ScaledTanh HardSigmoid ");
    word += length + 1;
  }
  const double first = !strcmp(name, "LeakyRelu") ? .01 : !strcmp(name, "HardSigmoid") ? .2 : 1;
  const curve y = curve_of(name, parameter(node, "activation_alpha", alphas, first),
                           parameter(node, "activation_beta", betas, .5), x.v);
  return (num){ y.v, y.slope * x.e + 4 * fabs(y.v) + fabs(x.v) * y.slope };
}

/* ---- Layers. */

typedef struct {
  const ref_node *node;
  size_t d, directions, gates, hidden, inputs, functions;
  num *x, *h, *c, *next;
} layer;

static double weight(const ref_node *node, size_t input, size_t index) {
  const ref_tensor *const t = ref_input(node, input);
  return t ? t->values[index] : 0;
}

static num dot(const layer *l, size_t input, size_t row, size_t n, const num *x) {
  num sum = { 0, 0 };
  for (size_t k = 0; k < n; k++)
    sum = plus(
        sum,
        times(exactly(weight(l->node, input, (l->d * l->gates * l->hidden + row) * n + k)), x[k]));
  return sum;
}

/* Return the bias of x (0) or h (1). */
static num bias(const layer *l, size_t which, size_t row) {
  return exactly(weight(l->node, B, (2 * l->d + which) * l->gates * l->hidden + row));
}

static num from_x(const layer *l, size_t row) {
  return plus(dot(l, W, row, l->inputs, l->x), bias(l, 0, row));
}
static num from_h(const layer *l, size_t row, const num *h) {
  return plus(dot(l, R, row, l->hidden, h), bias(l, 1, row));
}

static num gate(const layer *l, size_t which, const char *otherwise, num z) {
  return activate(l->node, l->d * l->functions + which, otherwise, clipped(l->node, z));
}

static num peephole(const layer *l, size_t which, size_t j, num c) {
  return times(exactly(weight(l->node, P, (3 * l->d + which) * l->hidden + j)), c);
}

static void lstm_step(layer *l) {
  const size_t n = l->hidden;
  for (size_t j = 0; j < n; j++) {
    const num zi = plus(from_x(l, j), from_h(l, j, l->h));
    const num zo = plus(from_x(l, n + j), from_h(l, n + j, l->h));
    const num zf = plus(from_x(l, 2 * n + j), from_h(l, 2 * n + j, l->h));
    const num zc = plus(from_x(l, 3 * n + j), from_h(l, 3 * n + j, l->h));
    const num i = gate(l, 0, "Sigmoid", plus(zi, peephole(l, 0, j, l->c[j])));
    const num f = gate(l, 0, "Sigmoid", plus(zf, peephole(l, 2, j, l->c[j])));
    const num forget = ref_int(l->node, "input_forget", 0) ? without(i) : f;
    l->c[j] = plus(times(forget, l->c[j]), times(i, gate(l, 1, "Tanh", zc)));
    const num o = gate(l, 0, "Sigmoid", plus(zo, peephole(l, 1, j, l->c[j])));
    l->next[j] = times(o, activate(l->node, l->d * l->functions + 2, "Tanh", l->c[j]));
  }
}

static void gru_step(layer *l) {
  const size_t n = l->hidden;
  const bool linear = ref_int(l->node, "linear_before_reset", 0) != 0;
  num *const reset = calloc(2 * n + 1, sizeof *reset), *const left = reset + n;
  for (size_t j = 0; j < n; j++) {
    reset[j] = gate(l, 0, "Sigmoid", plus(from_x(l, n + j), from_h(l, n + j, l->h)));
    left[j] = times(reset[j], l->h[j]);
  }
  for (size_t j = 0; j < n; j++) {
    const num z = gate(l, 0, "Sigmoid", plus(from_x(l, j), from_h(l, j, l->h)));
    const num recurrent =
        linear ? times(reset[j], from_h(l, 2 * n + j, l->h)) : from_h(l, 2 * n + j, left);
    const num h = gate(l, 1, "Tanh", plus(from_x(l, 2 * n + j), recurrent));
    l->next[j] = plus(times(without(z), h), times(z, l->h[j]));
  }
  free(reset);
}

static void rnn_step(layer *l) {
  for (size_t j = 0; j < l->hidden; j++)
    l->next[j] = gate(l, 0, "Tanh", plus(from_x(l, j), from_h(l, j, l->h)));
}

/* ---- Sequences. */

static size_t place(bool first, size_t d, size_t directions, size_t b, size_t batch) {
  return first ? b * directions + d : d * batch + b;
}

static void put(ref_tensor *t, size_t row, size_t n, const num *from) {
  for (size_t j = 0; j < n; j++) {
    t->values[row * n + j] = from[j].v;
    t->slack[row * n + j] = from[j].e;
  }
}

/* Run one sequence in one direction. A sequence of length 0 leaves zeros. */
static void run(ref_node *node, layer *l, size_t b, void (*step)(layer *)) {
  const ref_tensor *const x = node->inputs[X];
  const bool first = ref_int(node, "layout", 0) != 0;
  const size_t steps = (size_t)x->dims[first], batch = (size_t)x->dims[!first], n = l->hidden;
  const bool reverse = l->d || ref_is(node, "direction", "reverse");
  const size_t state = place(first, l->d, l->directions, b, batch);
  const size_t length = ref_input(node, LENGTHS) ? (size_t)weight(node, LENGTHS, b) : steps;
  for (size_t j = 0; j < n; j++) {
    l->h[j] = exactly(weight(node, H, state * n + j));
    l->c[j] = exactly(node->input_count > C ? weight(node, C, state * n + j) : 0);
  }
  for (size_t s = 0; s < length; s++) {
    const size_t t = reverse ? length - 1 - s : s, row = first ? b * steps + t : t * batch + b;
    for (size_t k = 0; k < l->inputs; k++) l->x[k] = exactly(x->values[row * l->inputs + k]);
    step(l);
    memcpy(l->h, l->next, n * sizeof *l->h);
    put(&node->outputs[0],
        first ? (b * steps + t) * l->directions + l->d : (t * l->directions + l->d) * batch + b, n,
        l->h);
  }
  if (length) put(&node->outputs[1], state, n, l->h);
  if (length && step == lstm_step) put(&node->outputs[2], state, n, l->c);
}

static void recur(ref_node *node, size_t gates, size_t functions, void (*step)(layer *)) {
  const ref_tensor *const x = node->inputs[X], *const r = node->inputs[R];
  const bool first = ref_int(node, "layout", 0) != 0;
  const int64_t d = ref_is(node, "direction", "bidirectional") ? 2 : 1, n = r->dims[2];
  const int64_t steps = x->dims[first], batch = x->dims[!first];
  const int64_t y[2][4] = { { steps, d, batch, n }, { batch, steps, d, n } };
  const int64_t state[2][3] = { { d, batch, n }, { batch, d, n } };
  layer l = { .node = node,
              .directions = (size_t)d,
              .gates = gates,
              .hidden = (size_t)n,
              .inputs = (size_t)x->dims[2],
              .functions = functions };
  num *const all = calloc((size_t)x->dims[2] + 3 * (size_t)n + 1, sizeof *all);
  l.x = all;
  l.h = l.x + l.inputs;
  l.c = l.h + n;
  l.next = l.c + n;
  ref_make(node, 0, x->dtype, 4, y[first], true);
  ref_make(node, 1, x->dtype, 3, state[first], true);
  if (step == lstm_step) ref_make(node, 2, x->dtype, 3, state[first], true);
  for (; l.d < l.directions; l.d++)
    for (size_t b = 0; b < (size_t)batch; b++) run(node, &l, b, step);
  free(all);
}

void ref_LSTM(ref_node *node) { recur(node, 4, 3, lstm_step); }
void ref_GRU(ref_node *node) { recur(node, 3, 2, gru_step); }
void ref_RNN(ref_node *node) { recur(node, 1, 1, rnn_step); }

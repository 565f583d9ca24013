/*
 * elementwise.c -- unary operators.
 *
 * No implementation computes these functions exactly: ROUNDINGS of the result and of the argument
 * are allowed, the latter times the derivative.
 */
#include "ref/op.h"

#include <math.h>

enum { ROUNDINGS = 4 };

typedef struct {
  double value, slack;
} answer;

static ref_tensor *alike(ref_node *node, bool slack) {
  const ref_tensor *const x = node->inputs[0];
  return ref_make(node, 0, x->dtype, x->rank, x->dims, slack && ref_is_float(x->dtype));
}

static void exactly(ref_node *node, double (*f)(const ref_node *, double)) {
  ref_tensor *const y = alike(node, false);
  for (size_t i = 0; i < ref_count(y); i++) y->values[i] = f(node, node->inputs[0]->values[i]);
}

static void nearly(ref_node *node, answer (*f)(const ref_node *, double)) {
  ref_tensor *const y = alike(node, true);
  for (size_t i = 0; i < ref_count(y); i++) {
    const answer a = f(node, node->inputs[0]->values[i]);
    y->values[i] = a.value;
    y->slack[i] = a.slack;
  }
}

static answer function(double x, double y, double slope) {
  return (answer){ y, ROUNDINGS * (fabs(y) + fabs(x * slope)) };
}

static double identity(const ref_node *node, double x) {
  (void)node;
  return x;
}
static double relu(const ref_node *node, double x) {
  (void)node;
  return x < 0 ? 0 : x;
}
static double leaky(const ref_node *node, double x) {
  return x < 0 ? ref_number(node, "alpha", 0.01) * x : x;
}
static double negative(const ref_node *node, double x) {
  (void)node;
  return -x;
}
static double root(const ref_node *node, double x) {
  (void)node;
  return sqrt(x);
}

static answer sigmoid(const ref_node *node, double x) {
  (void)node;
  const double y = 1 / (1 + exp(-x));
  return function(x, y, y * (1 - y));
}
static answer hyperbolic(const ref_node *node, double x) {
  (void)node;
  const double y = tanh(x);
  return function(x, y, 1 - y * y);
}
static answer error(const ref_node *node, double x) {
  (void)node;
  return function(x, erf(x), 2 / sqrt(acos(-1)) * exp(-x * x));
}
static answer exponential(const ref_node *node, double x) {
  (void)node;
  return function(x, exp(x), exp(x));
}
static answer logarithm(const ref_node *node, double x) {
  (void)node;
  return function(x, log(x), 1 / x);
}
static answer hard_sigmoid(const ref_node *node, double x) {
  const double a = ref_number(node, "alpha", 0.2), b = ref_number(node, "beta", 0.5);
  return (answer){ fmax(0, fmin(1, a * x + b)), ROUNDINGS * (fabs(a * x) + fabs(b)) };
}
/* x times the hard sigmoid of slope 1/6. */
static answer hard_swish(const ref_node *node, double x) {
  (void)node;
  return (answer){ x * fmax(0, fmin(1, x / 6 + 0.5)), ROUNDINGS * fabs(x) * (fabs(x / 6) + 0.5) };
}
/* x / 2 times 1 + a function from -1 to 1: terms of the size of x cancel. */
static answer gelu(const ref_node *node, double x) {
  const double inner = sqrt(2 / acos(-1)) * (x + (double)0.044715f * x * x * x);
  const double f = ref_is(node, "approximate", "tanh") ? tanh(inner) : erf(x / sqrt(2));
  return (answer){ x / 2 * (1 + f), ROUNDINGS * fabs(x) };
}

void ref_Identity(ref_node *node) { exactly(node, identity); }
void ref_Relu(ref_node *node) { exactly(node, relu); }
void ref_LeakyRelu(ref_node *node) { exactly(node, leaky); }
void ref_Neg(ref_node *node) { exactly(node, negative); }
void ref_Sqrt(ref_node *node) { exactly(node, root); }
void ref_Sigmoid(ref_node *node) { nearly(node, sigmoid); }
void ref_Tanh(ref_node *node) { nearly(node, hyperbolic); }
void ref_Erf(ref_node *node) { nearly(node, error); }
void ref_Exp(ref_node *node) { nearly(node, exponential); }
void ref_Log(ref_node *node) { nearly(node, logarithm); }
void ref_HardSigmoid(ref_node *node) { nearly(node, hard_sigmoid); }
void ref_HardSwish(ref_node *node) { nearly(node, hard_swish); }
void ref_Gelu(ref_node *node) { nearly(node, gelu); }

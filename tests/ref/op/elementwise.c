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

/* ---- Elementary functions and activations: the name, the value, the derivative of x. */

#define FUNCTION(name, value, derivative)                                                          \
  static answer f_##name(const ref_node *node, double x) {                                         \
    (void)node;                                                                                    \
    return function(x, value, derivative);                                                         \
  }                                                                                                \
  void ref_##name(ref_node *node) { nearly(node, f_##name); }

#define EXACT(name, value)                                                                         \
  static double f_##name(const ref_node *node, double x) {                                         \
    (void)node;                                                                                    \
    return (value);                                                                                \
  }                                                                                                \
  void ref_##name(ref_node *node) { exactly(node, f_##name); }

static double number(const ref_node *node, const char *name, double otherwise) {
  return ref_number(node, name, otherwise);
}
static double half_to_even(double x) {
  const double low = floor(x), part = x - low;
  return part < 0.5 || (part == 0.5 && fmod(low, 2) == 0) ? low : low + 1;
}
static double below(double x, double a) { return x < 0 ? a * expm1(x) : x; }
static double logistic(double x) { return 1 / (1 + exp(-x)); }

EXACT(Abs, fabs(x))
EXACT(Sign, x > 0 ? 1 : x < 0 ? -1 : x)
EXACT(Floor, floor(x))
EXACT(Ceil, ceil(x))
EXACT(Round, isinf(x) ? x : half_to_even(x))
EXACT(Reciprocal, 1 / x)
EXACT(ThresholdedRelu, x > number(node, "alpha", 1) ? x : 0)
EXACT(Shrink,
      x<-number(node, "lambd", 0.5) ? x + number(node, "bias", 0) : x> number(node, "lambd", 0.5)
          ? x - number(node, "bias", 0)
          : 0)
FUNCTION(Sin, sin(x), cos(x))
FUNCTION(Cos, cos(x), sin(x))
FUNCTION(Tan, tan(x), 1 + tan(x) * tan(x))
FUNCTION(Asin, asin(x), 1 / sqrt(1 - x * x))
FUNCTION(Acos, acos(x), 1 / sqrt(1 - x * x))
FUNCTION(Atan, atan(x), 1 / (1 + x * x))
FUNCTION(Sinh, sinh(x), cosh(x))
FUNCTION(Cosh, cosh(x), sinh(x))
FUNCTION(Asinh, asinh(x), 1 / sqrt(1 + x * x))
FUNCTION(Acosh, acosh(x), 1 / sqrt(x * x - 1))
FUNCTION(Atanh, atanh(x), 1 / (1 - x * x))
FUNCTION(Elu, below(x, number(node, "alpha", 1)), 1)
FUNCTION(Selu,
         number(node, "gamma", 1.0507010221481323) *
             below(x, number(node, "alpha", 1.6732631921768188)),
         1)
FUNCTION(Celu, x < 0 ? number(node, "alpha", 1) * expm1(x / number(node, "alpha", 1)) : x, 1)
FUNCTION(Softplus, x > 30 ? x : log1p(exp(x)), logistic(x))
FUNCTION(Softsign, x / (1 + fabs(x)), 1)
FUNCTION(Mish, x *tanh(x > 30 ? x : log1p(exp(x))), 1)
FUNCTION(Swish, x *logistic(number(node, "alpha", 1) * x), 1)

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

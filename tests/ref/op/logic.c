/* logic.c -- comparisons, logical and bitwise operators, tests for NaN and infinity. */
#include "ref/op.h"

#include <math.h>

static void combine(ref_node *node, crd_dtype dtype, double (*f)(double, double)) {
  const ref_tensor *const a = node->inputs[0], *const b = node->inputs[1];
  int64_t dims[CRD_RANK_MAX], at[CRD_RANK_MAX];
  const size_t rank = ref_broadcast(a, b, dims);
  ref_tensor *const y = ref_make(node, 0, dtype, rank, dims, false);
  for (size_t n = 0; n < ref_count(y); n++) {
    ref_index(y, n, at);
    const double value = f(a->values[ref_spread(a, at, rank)], b->values[ref_spread(b, at, rank)]);
    y->values[n] = ref_round(dtype, value);
  }
}

static void map(ref_node *node, crd_dtype dtype, double (*f)(const ref_node *, double)) {
  const ref_tensor *const x = node->inputs[0];
  ref_tensor *const y = ref_make(node, 0, dtype, x->rank, x->dims, false);
  for (size_t n = 0; n < ref_count(y); n++) y->values[n] = ref_round(dtype, f(node, x->values[n]));
}

#define COMPARE(name, value)                                                                       \
  static double f_##name(double a, double b) { return (value); }                                   \
  void ref_##name(ref_node *node) { combine(node, CRD_BOOL, f_##name); }

COMPARE(Less, a < b)
COMPARE(LessOrEqual, a <= b)
COMPARE(Greater, a > b)
COMPARE(GreaterOrEqual, a >= b)
COMPARE(And, a != 0 && b != 0)
COMPARE(Or, a != 0 || b != 0)
COMPARE(Xor, (a != 0) != (b != 0))

/* Integers in two's complement, bit by bit from the lowest. */
#define BITS(name, value)                                                                          \
  static double f_##name(double x, double y) {                                                     \
    const int64_t a = (int64_t)x, b = (int64_t)y;                                                  \
    return (double)(value);                                                                        \
  }                                                                                                \
  void ref_##name(ref_node *node) { combine(node, node->inputs[0]->dtype, f_##name); }

BITS(BitwiseAnd, a &b)
BITS(BitwiseOr, a | b)
BITS(BitwiseXor, a ^ b)

static double shift_left(double a, double b) { return a * pow(2, b); }
static double shift_right(double a, double b) { return floor(a / pow(2, b)); }
void ref_BitShift(ref_node *node) {
  combine(node, node->inputs[0]->dtype,
          ref_is(node, "direction", "LEFT") ? shift_left : shift_right);
}

static double negation(const ref_node *node, double x) { return (void)node, x == 0; }
static double complement(const ref_node *node, double x) { return (void)node, -1 - x; }
static double is_nan(const ref_node *node, double x) { return (void)node, isnan(x) != 0; }
static double is_inf(const ref_node *node, double x) {
  return isinf(x) && ref_int(node, x > 0 ? "detect_positive" : "detect_negative", 1) != 0;
}

void ref_Not(ref_node *node) { map(node, CRD_BOOL, negation); }
void ref_BitwiseNot(ref_node *node) { map(node, node->inputs[0]->dtype, complement); }
void ref_IsNaN(ref_node *node) { map(node, CRD_BOOL, is_nan); }
void ref_IsInf(ref_node *node) { map(node, CRD_BOOL, is_inf); }

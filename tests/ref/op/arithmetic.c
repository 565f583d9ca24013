/*
 * arithmetic.c -- elementwise operators of two or more operands, with broadcasting.
 *
 * Before opset 7 only the second was broadcast, from `axis` on (attribute broadcast).
 */
#include "ref/op.h"

#include <math.h>

enum { ROUNDINGS = 4 };

static ref_tensor aligned(const ref_node *node) {
  ref_tensor b = *node->inputs[1];
  if (node->opset >= 7 || !ref_find(node, "axis")) return b;
  const size_t rank = node->inputs[0]->rank, axis = ref_axis(ref_int(node, "axis", 0), rank);
  while (b.rank + axis < rank) b.dims[b.rank++] = 1;
  return b;
}

static ref_tensor *combine(ref_node *node, crd_dtype dtype, bool slack,
                           double (*f)(crd_dtype, double, double)) {
  const ref_tensor *const a = node->inputs[0];
  const ref_tensor b = aligned(node);
  int64_t dims[CRD_RANK_MAX], at[CRD_RANK_MAX];
  const size_t rank = ref_broadcast(a, &b, dims);
  ref_tensor *const y = ref_make(node, 0, dtype, rank, dims, slack && ref_is_float(dtype));
  for (size_t n = 0; n < ref_count(y); n++) {
    ref_index(y, n, at);
    const double value =
        f(a->dtype, a->values[ref_spread(a, at, rank)], b.values[ref_spread(&b, at, rank)]);
    y->values[n] = ref_is_float(dtype) ? value : ref_round(dtype, value);
    if (y->slack) y->slack[n] = ROUNDINGS * fabs(value);
  }
  return y;
}

static double add(crd_dtype t, double a, double b) { return (void)t, a + b; }
static double subtract(crd_dtype t, double a, double b) { return (void)t, a - b; }
static double multiply(crd_dtype t, double a, double b) { return (void)t, a * b; }
static double divide(crd_dtype t, double a, double b) {
  return ref_is_float(t) ? a / b : trunc(a / b);
}
static double power(crd_dtype t, double a, double b) {
  return ref_is_float(t) ? pow(a, b) : trunc(pow(a, b));
}
static double equal(crd_dtype t, double a, double b) { return (void)t, a == b; }
static double slope(crd_dtype t, double a, double b) { return (void)t, a < 0 ? a * b : a; }

void ref_Add(ref_node *node) { combine(node, node->inputs[0]->dtype, false, add); }
void ref_Sub(ref_node *node) { combine(node, node->inputs[0]->dtype, false, subtract); }
void ref_Mul(ref_node *node) { combine(node, node->inputs[0]->dtype, false, multiply); }
void ref_Div(ref_node *node) { combine(node, node->inputs[0]->dtype, false, divide); }
/* Of the base's type, whatever the exponent's type. */
void ref_Pow(ref_node *node) { combine(node, node->inputs[0]->dtype, true, power); }
void ref_Equal(ref_node *node) { combine(node, CRD_BOOL, false, equal); }

static double modulo(crd_dtype t, double a, double b) {
  (void)t;
  return a - floor(a / b) * b;
}
static double remainder_of(crd_dtype t, double a, double b) { return (void)t, fmod(a, b); }
void ref_Mod(ref_node *node) {
  const bool whole = !ref_is_float(node->inputs[0]->dtype);
  combine(node, node->inputs[0]->dtype, !whole, ref_int(node, "fmod", 0) ? remainder_of : modulo);
}

/* ---- Of any number of operands, from the second on one after another. */

static double larger(crd_dtype t, double a, double b) {
  (void)t;
  return isnan(a) || isnan(b) ? (double)NAN : a > b ? a : b;
}
static double smaller(crd_dtype t, double a, double b) {
  (void)t;
  return isnan(a) || isnan(b) ? (double)NAN : a < b ? a : b;
}

static void gather(ref_node *node, bool slack, double divisor,
                   double (*f)(crd_dtype, double, double)) {
  const crd_dtype dtype = node->inputs[0]->dtype;
  ref_tensor shape = *node->inputs[0];
  int64_t dims[CRD_RANK_MAX], at[CRD_RANK_MAX];
  for (size_t i = 1; i < node->input_count; i++) {
    shape.rank = ref_broadcast(&shape, node->inputs[i], dims);
    for (size_t d = 0; d < shape.rank; d++) shape.dims[d] = dims[d];
  }
  ref_tensor *const y =
      ref_make(node, 0, dtype, shape.rank, shape.dims, slack && ref_is_float(dtype));
  for (size_t n = 0; n < ref_count(y); n++) {
    double sizes = 0, value = 0;
    ref_index(y, n, at);
    for (size_t i = 0; i < node->input_count; i++) {
      const double x = node->inputs[i]->values[ref_spread(node->inputs[i], at, y->rank)];
      value = i ? f(dtype, value, x) : x;
      sizes += fabs(x);
    }
    value /= divisor;
    y->values[n] = ref_is_float(dtype) ? value : ref_round(dtype, trunc(value));
    if (y->slack) y->slack[n] = ROUNDINGS * (double)node->input_count * sizes;
  }
}

void ref_Max(ref_node *node) { gather(node, false, 1, larger); }
void ref_Min(ref_node *node) { gather(node, false, 1, smaller); }
void ref_Sum(ref_node *node) { gather(node, true, 1, add); }
void ref_Mean(ref_node *node) { gather(node, true, (double)node->input_count, add); }

/* The slope is broadcast to the input, never the input to the slope; before opset 7 there was one
 * slope for all channels, or one per channel. */
void ref_PRelu(ref_node *node) {
  const ref_tensor *const x = node->inputs[0], *const given = node->inputs[1];
  ref_tensor channels = *given;
  if (node->opset < 7 && given->rank == 1 && x->rank > 1)
    while (channels.rank + 1 < x->rank) channels.dims[channels.rank++] = 1;
  const ref_tensor *inputs[] = { x, &channels };
  const ref_tensor *const *const before = node->inputs;
  node->inputs = inputs;
  combine(node, x->dtype, false, slope);
  node->inputs = before;
}

void ref_Where(ref_node *node) {
  const ref_tensor *const c = node->inputs[0], *const a = node->inputs[1],
                          *const b = node->inputs[2];
  ref_tensor both = { 0 };
  int64_t dims[CRD_RANK_MAX], at[CRD_RANK_MAX];
  both.rank = ref_broadcast(a, b, both.dims);
  const size_t rank = ref_broadcast(c, &both, dims);
  ref_tensor *const y = ref_make(node, 0, a->dtype, rank, dims, false);
  for (size_t n = 0; n < ref_count(y); n++) {
    ref_index(y, n, at);
    const ref_tensor *const from = c->values[ref_spread(c, at, rank)] != 0 ? a : b;
    y->values[n] = from->values[ref_spread(from, at, rank)];
  }
}

/*
 * reduce.c -- reductions over axes; over all if none are given, unless noop_with_empty_axes. Axes
 * became an input with opset 13 (ReduceSum) and 18 (the others).
 */
#include "ref/op.h"

#include <math.h>

typedef enum { SUM, MEAN, MAX, MIN, PROD, L1, L2, SUM_SQUARE, LOG_SUM, LOG_SUM_EXP } reduction;

static double term(reduction kind, double x) {
  if (kind == L1) return fabs(x);
  if (kind == L2 || kind == SUM_SQUARE) return x * x;
  return kind == LOG_SUM_EXP ? exp(x) : x;
}

/* The value so far and one more. */
static double combine(reduction kind, double value, double x) {
  if (kind == MAX || kind == MIN) /* NaN beats anything */
    return isnan(value) || isnan(x)                ? (double)NAN
           : (kind == MAX ? x > value : x < value) ? x
                                                   : value;
  return kind == PROD ? value * x : value + x;
}

/* The function of a sum; sets the tolerance, which was that of the sum. */
static double finish(reduction kind, double value, double *slack) {
  const double y = kind == L2 ? sqrt(value) : kind >= LOG_SUM ? log(value) : value;
  if (kind == L2) *slack = value > 0 ? *slack / y + y : 0;
  if (kind >= LOG_SUM) *slack = *slack / value + 4 * fabs(y) + 4;
  return y;
}

static double limit(crd_dtype dtype, bool largest) {
  if (ref_is_float(dtype)) return largest ? (double)INFINITY : -(double)INFINITY;
  if (dtype == CRD_BOOL) return largest;
  const double size = ldexp(1, (int)(8 * crd_dtype_size(dtype)));
  const bool natural = ref_round(dtype, -1) > 0;
  return natural ? (largest ? size - 1 : 0) : (largest ? size / 2 - 1 : -size / 2);
}

/* Get the shape with 1 for reduced dimensions. */
static bool reduced(const ref_node *node, ref_tensor *out, bool *gone) {
  int64_t axes[CRD_RANK_MAX];
  size_t count;
  *out = *node->inputs[0];
  ref_ints(node, "axes", ref_input(node, 1), &count, axes);
  if (!count && ref_int(node, "noop_with_empty_axes", 0)) return false;
  for (size_t k = 0; k < out->rank; k++) gone[k] = count == 0;
  for (size_t i = 0; i < count; i++) gone[ref_axis(axes[i], out->rank)] = true;
  for (size_t k = 0; k < out->rank; k++)
    if (gone[k]) out->dims[k] = 1;
  return true;
}

static void run(ref_node *node, reduction kind) {
  const ref_tensor *const x = node->inputs[0];
  bool gone[CRD_RANK_MAX] = { false };
  int64_t dims[CRD_RANK_MAX], at[CRD_RANK_MAX];
  ref_tensor shape;
  size_t rank = 0;
  const bool keep = !reduced(node, &shape, gone) || ref_int(node, "keepdims", 1) != 0;
  for (size_t k = 0; k < x->rank; k++)
    if (keep || !gone[k]) dims[rank++] = shape.dims[k];
  const bool exact = kind == MAX || kind == MIN;
  ref_tensor *const y = ref_make(node, 0, x->dtype, rank, dims, !exact && ref_is_float(x->dtype));
  const double terms = (double)ref_count(x) / (double)ref_count(y);
  for (size_t n = 0; n < ref_count(y); n++)
    y->values[n] = exact ? limit(x->dtype, kind == MIN) : kind == PROD;
  for (size_t n = 0; n < ref_count(x); n++) {
    ref_index(x, n, at);
    const size_t to = ref_spread(&shape, at, x->rank);
    const double v = term(kind, x->values[n]);
    y->values[to] = combine(kind, y->values[to], v);
    if (y->slack) y->slack[to] += (terms + 1) * fabs(v) / (kind == MEAN ? terms : 1);
  }
  for (size_t n = 0; kind == MEAN && n < ref_count(y); n++)
    y->values[n] = y->slack ? y->values[n] / terms : trunc(y->values[n] / terms);
  for (size_t n = 0; n < ref_count(y) && y->slack; n++) {
    if (kind == PROD) y->slack[n] = (terms + 1) * fabs(y->values[n]);
    y->values[n] = finish(kind, y->values[n], &y->slack[n]);
  }
  for (size_t n = 0; n < ref_count(y) && !ref_is_float(x->dtype); n++)
    y->values[n] = ref_round(x->dtype, y->values[n]);
}

void ref_ReduceSum(ref_node *node) { run(node, SUM); }
void ref_ReduceMean(ref_node *node) { run(node, MEAN); }
void ref_ReduceMax(ref_node *node) { run(node, MAX); }
void ref_ReduceMin(ref_node *node) { run(node, MIN); }
void ref_ReduceProd(ref_node *node) { run(node, PROD); }
void ref_ReduceL1(ref_node *node) { run(node, L1); }
void ref_ReduceL2(ref_node *node) { run(node, L2); }
void ref_ReduceSumSquare(ref_node *node) { run(node, SUM_SQUARE); }
void ref_ReduceLogSum(ref_node *node) { run(node, LOG_SUM); }
void ref_ReduceLogSumExp(ref_node *node) { run(node, LOG_SUM_EXP); }

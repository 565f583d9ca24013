/*
 * reduce.c -- sum, mean and maximum over axes; over all if none are given, unless
 * noop_with_empty_axes. Axes became an input with opset 13 (ReduceSum) and 18 (the others).
 */
#include "ref/op.h"

#include <math.h>

typedef enum { SUM, MEAN, MAX } reduction;

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
  ref_tensor *const y =
      ref_make(node, 0, x->dtype, rank, dims, kind != MAX && ref_is_float(x->dtype));
  const double terms = (double)ref_count(x) / (double)ref_count(y);
  for (size_t n = 0; kind == MAX && n < ref_count(y); n++) y->values[n] = -INFINITY;
  for (size_t n = 0; n < ref_count(x); n++) {
    ref_index(x, n, at);
    const size_t to = ref_spread(&shape, at, x->rank);
    const double v = x->values[n];
    if (kind != MAX) y->values[to] += v;
    else if (isnan(v) || v > y->values[to]) y->values[to] = v; /* NaN is larger than anything */
    if (y->slack) y->slack[to] += (terms + 1) * fabs(v) / (kind == MEAN ? terms : 1);
  }
  for (size_t n = 0; kind == MEAN && n < ref_count(y); n++)
    y->values[n] = y->slack ? y->values[n] / terms : trunc(y->values[n] / terms);
}

void ref_ReduceSum(ref_node *node) { run(node, SUM); }
void ref_ReduceMean(ref_node *node) { run(node, MEAN); }
void ref_ReduceMax(ref_node *node) { run(node, MAX); }

/* indexed.c -- GatherElements, GatherND, Scatter, ScatterElements and ScatterND: elements and
 * slices by index; negative indices count from the end. */
#include "ref/op.h"

#include <math.h>

static int64_t wrap(double index, int64_t length) {
  return (int64_t)index < 0 ? (int64_t)index + length : (int64_t)index;
}

void ref_GatherElements(ref_node *node) {
  const ref_tensor *const x = node->inputs[0], *const which = node->inputs[1];
  const size_t axis = ref_axis(ref_int(node, "axis", 0), x->rank);
  int64_t at[CRD_RANK_MAX];
  ref_tensor *const y = ref_make(node, 0, x->dtype, which->rank, which->dims, false);
  for (size_t n = 0; n < ref_count(y); n++) {
    ref_index(y, n, at);
    at[axis] = wrap(which->values[n], x->dims[axis]);
    y->values[n] = x->values[ref_place(x, at)];
  }
}

void ref_GatherND(ref_node *node) {
  const ref_tensor *const x = node->inputs[0], *const which = node->inputs[1];
  const size_t batch = (size_t)ref_int(node, "batch_dims", 0), last = which->rank - 1;
  const size_t depth = (size_t)which->dims[last];
  int64_t dims[CRD_RANK_MAX], at[CRD_RANK_MAX], tuple[CRD_RANK_MAX], from[CRD_RANK_MAX];
  size_t rank = 0;
  for (size_t k = 0; k < last; k++) dims[rank++] = which->dims[k];
  for (size_t k = batch + depth; k < x->rank; k++) dims[rank++] = x->dims[k];
  ref_tensor *const y = ref_make(node, 0, x->dtype, rank, dims, false);
  for (size_t n = 0; n < ref_count(y); n++) {
    ref_index(y, n, at);
    for (size_t k = 0; k < last; k++) tuple[k] = at[k];
    for (size_t k = 0; k < batch; k++) from[k] = at[k];
    for (size_t k = 0; k < depth; k++) {
      tuple[last] = (int64_t)k;
      from[batch + k] = wrap(which->values[ref_place(which, tuple)], x->dims[batch + k]);
    }
    for (size_t k = batch + depth; k < x->rank; k++) from[k] = at[last + k - batch - depth];
    y->values[n] = x->values[ref_place(x, from)];
  }
}

/* One update of an element, by the reduction of the node. */
static void update(const ref_node *node, ref_tensor *y, size_t place, double u) {
  double *const v = &y->values[place];
  if (ref_is(node, "reduction", "add")) *v += u;
  else if (ref_is(node, "reduction", "mul")) *v *= u;
  else if (ref_is(node, "reduction", "max")) *v = *v > u ? *v : u;
  else if (ref_is(node, "reduction", "min")) *v = *v < u ? *v : u;
  else *v = u;
  if (y->slack) y->slack[place] += fabs(u) + fabs(*v);
}

static ref_tensor *copy_array(ref_node *node) {
  const ref_tensor *const x = node->inputs[0];
  const bool inexact = ref_is_float(x->dtype) &&
                       (ref_is(node, "reduction", "add") || ref_is(node, "reduction", "mul"));
  ref_tensor *const y = ref_make(node, 0, x->dtype, x->rank, x->dims, inexact);
  for (size_t n = 0; n < ref_count(x); n++) y->values[n] = x->values[n];
  return y;
}

void ref_ScatterElements(ref_node *node) {
  const ref_tensor *const which = node->inputs[1];
  const size_t axis = ref_axis(ref_int(node, "axis", 0), node->inputs[0]->rank);
  ref_tensor *const y = copy_array(node);
  int64_t at[CRD_RANK_MAX];
  for (size_t n = 0; n < ref_count(which); n++) {
    ref_index(which, n, at);
    at[axis] = wrap(which->values[n], y->dims[axis]);
    update(node, y, ref_place(y, at), node->inputs[2]->values[n]);
  }
}

void ref_Scatter(ref_node *node) { ref_ScatterElements(node); }

void ref_ScatterND(ref_node *node) {
  const ref_tensor *const which = node->inputs[1], *const updates = node->inputs[2];
  const size_t last = which->rank - 1, depth = (size_t)which->dims[last];
  ref_tensor *const y = copy_array(node);
  int64_t at[CRD_RANK_MAX], tuple[CRD_RANK_MAX], to[CRD_RANK_MAX];
  for (size_t n = 0; n < ref_count(updates); n++) {
    ref_index(updates, n, at);
    for (size_t k = 0; k < last; k++) tuple[k] = at[k];
    for (size_t k = 0; k < depth; k++) {
      tuple[last] = (int64_t)k;
      to[k] = wrap(which->values[ref_place(which, tuple)], y->dims[k]);
    }
    for (size_t k = depth; k < y->rank; k++) to[k] = at[last + k - depth];
    update(node, y, ref_place(y, to), updates->values[n]);
  }
}

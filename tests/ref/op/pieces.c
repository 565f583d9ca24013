/* pieces.c -- Concat, Split, Slice, Gather and others that select or join parts of tensors. */
#include "ref/op.h"

void ref_Concat(ref_node *node) {
  const ref_tensor *const first = node->inputs[0];
  const size_t axis = ref_axis(ref_int(node, "axis", 1), first->rank);
  int64_t dims[CRD_RANK_MAX], at[CRD_RANK_MAX], begin = 0;
  for (size_t k = 0; k < first->rank; k++) dims[k] = first->dims[k];
  for (size_t i = 1; i < node->input_count; i++) dims[axis] += node->inputs[i]->dims[axis];
  ref_tensor *const y = ref_make(node, 0, first->dtype, first->rank, dims, false);
  for (size_t i = 0; i < node->input_count; begin += node->inputs[i++]->dims[axis])
    for (size_t n = 0; n < ref_count(node->inputs[i]); n++) {
      ref_index(node->inputs[i], n, at);
      at[axis] += begin;
      y->values[ref_place(y, at)] = node->inputs[i]->values[n];
    }
}

/* Lengths are an attribute before opset 13 and an input since; without them the parts are equal,
 * except for the last one, which may be smaller since opset 18. */
void ref_Split(ref_node *node) {
  const ref_tensor *const x = node->inputs[0];
  const size_t axis = ref_axis(ref_int(node, "axis", 0), x->rank);
  const int64_t pieces = (int64_t)node->output_count, each = (x->dims[axis] + pieces - 1) / pieces;
  int64_t lengths[REF_NUMBERS_MAX], dims[CRD_RANK_MAX], at[CRD_RANK_MAX], begin = 0;
  size_t given;
  ref_ints(node, "split", ref_input(node, 1), &given, lengths);
  for (size_t k = 0; k < x->rank; k++) dims[k] = x->dims[k];
  for (size_t i = 0; i < node->output_count; begin += dims[axis], i++) {
    const int64_t left = x->dims[axis] - begin;
    dims[axis] = given ? lengths[i] : each < left ? each : left;
    ref_tensor *const y = ref_make(node, i, x->dtype, x->rank, dims, false);
    for (size_t n = 0; n < ref_count(y); n++) {
      ref_index(y, n, at);
      at[axis] += begin;
      y->values[n] = x->values[ref_place(x, at)];
    }
  }
}

static int64_t clamp(int64_t end, int64_t length, int64_t low, int64_t high) {
  const int64_t from = end < 0 ? end + length : end;
  return from < low ? low : from > high ? high : from;
}

/* Attributes before opset 10, inputs and steps since. */
void ref_Slice(ref_node *node) {
  const ref_tensor *const x = node->inputs[0];
  int64_t starts[CRD_RANK_MAX], ends[CRD_RANK_MAX], axes[CRD_RANK_MAX], steps[CRD_RANK_MAX];
  int64_t dims[CRD_RANK_MAX], begin[CRD_RANK_MAX], step[CRD_RANK_MAX], at[CRD_RANK_MAX];
  size_t count, given;
  ref_ints(node, "starts", ref_input(node, 1), &count, starts);
  ref_ints(node, "ends", ref_input(node, 2), &count, ends);
  const bool placed = ref_ints(node, "axes", ref_input(node, 3), &given, axes);
  const bool stepped = ref_ints(node, "steps", ref_input(node, 4), &given, steps);
  for (size_t k = 0; k < x->rank; k++) {
    dims[k] = x->dims[k];
    begin[k] = 0;
    step[k] = 1;
  }
  for (size_t i = 0; i < count; i++) {
    const size_t k = placed ? ref_axis(axes[i], x->rank) : i;
    const int64_t length = x->dims[k], s = stepped ? steps[i] : 1;
    const int64_t from = clamp(starts[i], length, 0, s > 0 ? length : length - 1);
    const int64_t to = clamp(ends[i], length, s > 0 ? 0 : -1, length);
    const int64_t way = s > 0 ? to - from : from - to;
    const int64_t size = s > 0 ? s : s < -length ? length : -s;
    dims[k] = way > 0 ? (way - 1) / size + 1 : 0;
    begin[k] = from;
    step[k] = s;
  }
  ref_tensor *const y = ref_make(node, 0, x->dtype, x->rank, dims, false);
  for (size_t n = 0; n < ref_count(y); n++) {
    ref_index(y, n, at);
    for (size_t k = 0; k < x->rank; k++) at[k] = begin[k] + at[k] * step[k];
    y->values[n] = x->values[ref_place(x, at)];
  }
}

/* Slices along an axis; negative indices count from its end. */
void ref_Gather(ref_node *node) {
  const ref_tensor *const x = node->inputs[0], *const which = node->inputs[1];
  const size_t axis = ref_axis(ref_int(node, "axis", 0), x->rank);
  int64_t dims[CRD_RANK_MAX], at[CRD_RANK_MAX], from[CRD_RANK_MAX];
  size_t rank = 0;
  for (size_t k = 0; k < axis; k++) dims[rank++] = x->dims[k];
  for (size_t k = 0; k < which->rank; k++) dims[rank++] = which->dims[k];
  for (size_t k = axis + 1; k < x->rank; k++) dims[rank++] = x->dims[k];
  ref_tensor *const y = ref_make(node, 0, x->dtype, rank, dims, false);
  for (size_t n = 0; n < ref_count(y); n++) {
    ref_index(y, n, at);
    const int64_t entry = (int64_t)which->values[ref_place(which, at + axis)];
    for (size_t k = 0; k < axis; k++) from[k] = at[k];
    for (size_t k = axis + 1; k < x->rank; k++) from[k] = at[k + which->rank - 1];
    from[axis] = entry < 0 ? entry + x->dims[axis] : entry;
    y->values[n] = x->values[ref_place(x, from)];
  }
}

void ref_Transpose(ref_node *node) {
  const ref_tensor *const x = node->inputs[0];
  int64_t order[REF_NUMBERS_MAX], dims[CRD_RANK_MAX], at[CRD_RANK_MAX], from[CRD_RANK_MAX];
  size_t count;
  ref_ints(node, "perm", NULL, &count, order);
  for (size_t k = 0; !count && k < x->rank; k++) order[k] = (int64_t)(x->rank - 1 - k);
  for (size_t k = 0; k < x->rank; k++) dims[k] = x->dims[order[k]];
  ref_tensor *const y = ref_make(node, 0, x->dtype, x->rank, dims, false);
  for (size_t n = 0; n < ref_count(y); n++) {
    ref_index(y, n, at);
    for (size_t k = 0; k < x->rank; k++) from[order[k]] = at[k];
    y->values[n] = x->values[ref_place(x, from)];
  }
}

/* Broadcasts both ways: a 1 in the given shape keeps the dimension. */
void ref_Expand(ref_node *node) {
  const ref_tensor *const x = node->inputs[0];
  ref_tensor wanted = { 0 };
  int64_t dims[CRD_RANK_MAX], at[CRD_RANK_MAX];
  ref_ints(node, "", node->inputs[1], &wanted.rank, wanted.dims);
  const size_t rank = ref_broadcast(x, &wanted, dims);
  ref_tensor *const y = ref_make(node, 0, x->dtype, rank, dims, false);
  for (size_t n = 0; n < ref_count(y); n++) {
    ref_index(y, n, at);
    y->values[n] = x->values[ref_spread(x, at, rank)];
  }
}

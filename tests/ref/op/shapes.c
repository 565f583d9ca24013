/* shapes.c -- reshaping, and shapes as tensors. */
#include "ref/op.h"

static void reshape(ref_node *node, size_t rank, const int64_t *dims) {
  ref_tensor *const y = ref_make(node, 0, node->inputs[0]->dtype, rank, dims, false);
  for (size_t n = 0; n < ref_count(y); n++) y->values[n] = node->inputs[0]->values[n];
}

void ref_Flatten(ref_node *node) {
  const ref_tensor *const x = node->inputs[0];
  const int64_t given = ref_int(node, "axis", 1);
  const size_t axis = ref_axis(given, x->rank);
  int64_t dims[] = { 1, 1 };
  for (size_t k = 0; k < x->rank; k++) dims[k >= axis] *= x->dims[k];
  reshape(node, 2, dims);
}

/* 0: keeps the dimension, unless allowzero; -1: the remaining elements. */
void ref_Reshape(ref_node *node) {
  const ref_tensor *const x = node->inputs[0];
  int64_t dims[CRD_RANK_MAX], known = 1;
  size_t rank, rest = CRD_RANK_MAX;
  ref_ints(node, "shape", ref_input(node, 1), &rank, dims);
  for (size_t k = 0; k < rank; k++) {
    if (dims[k] == 0 && !ref_int(node, "allowzero", 0)) dims[k] = x->dims[k];
    if (dims[k] == -1) rest = k;
    else known *= dims[k];
  }
  if (rest < rank) dims[rest] = known ? (int64_t)ref_count(x) / known : 0;
  reshape(node, rank, dims);
}

/* Without axes, all dimensions of 1 are removed. */
void ref_Squeeze(ref_node *node) {
  const ref_tensor *const x = node->inputs[0];
  int64_t axes[CRD_RANK_MAX], dims[CRD_RANK_MAX];
  bool gone[CRD_RANK_MAX] = { false };
  size_t count, rank = 0;
  const bool given = ref_ints(node, "axes", ref_input(node, 1), &count, axes);
  for (size_t i = 0; i < count; i++) gone[ref_axis(axes[i], x->rank)] = true;
  for (size_t k = 0; k < x->rank; k++)
    if (given ? !gone[k] : x->dims[k] != 1) dims[rank++] = x->dims[k];
  reshape(node, rank, dims);
}

void ref_Unsqueeze(ref_node *node) {
  const ref_tensor *const x = node->inputs[0];
  int64_t axes[CRD_RANK_MAX], dims[CRD_RANK_MAX];
  bool new[CRD_RANK_MAX] = { false };
  size_t count, from = 0;
  ref_ints(node, "axes", ref_input(node, 1), &count, axes);
  const size_t rank = x->rank + count;
  for (size_t i = 0; i < count; i++) new[ref_axis(axes[i], rank)] = true;
  for (size_t k = 0; k < rank; k++) dims[k] = new[k] ? 1 : x->dims[from++];
  reshape(node, rank, dims);
}

static size_t clamp(int64_t end, size_t rank) {
  const int64_t from = end < 0 ? end + (int64_t)rank : end;
  return from < 0 ? 0 : from > (int64_t)rank ? rank : (size_t)from;
}

/* start and end since opset 15. */
void ref_Shape(ref_node *node) {
  const ref_tensor *const x = node->inputs[0];
  const size_t start = clamp(ref_int(node, "start", 0), x->rank);
  const size_t end = clamp(ref_int(node, "end", (int64_t)x->rank), x->rank);
  const int64_t count = end > start ? (int64_t)(end - start) : 0;
  ref_tensor *const y = ref_make(node, 0, CRD_I64, 1, &count, false);
  for (int64_t k = 0; k < count; k++) y->values[k] = (double)x->dims[start + (size_t)k];
}

/* patterns.c -- tensors that are repeated, masked, counted or chosen by their values. */
#include "ref/op.h"

#include <math.h>

void ref_Tile(ref_node *node) {
  const ref_tensor *const x = node->inputs[0];
  int64_t repeats[CRD_RANK_MAX], dims[CRD_RANK_MAX], at[CRD_RANK_MAX];
  size_t count;
  ref_ints(node, "", node->inputs[1], &count, repeats);
  for (size_t k = 0; k < x->rank; k++) dims[k] = x->dims[k] * repeats[k];
  ref_tensor *const y = ref_make(node, 0, x->dtype, x->rank, dims, false);
  for (size_t n = 0; n < ref_count(y); n++) {
    ref_index(y, n, at);
    for (size_t k = 0; k < x->rank; k++) at[k] %= x->dims[k];
    y->values[n] = x->values[ref_place(x, at)];
  }
}

void ref_Trilu(ref_node *node) {
  const ref_tensor *const x = node->inputs[0], *const k = ref_input(node, 1);
  const double diagonal = k ? k->values[0] : 0;
  int64_t at[CRD_RANK_MAX];
  ref_tensor *const y = ref_make(node, 0, x->dtype, x->rank, x->dims, false);
  for (size_t n = 0; n < ref_count(y); n++) {
    ref_index(y, n, at);
    const double right = (double)(at[x->rank - 1] - at[x->rank - 2]);
    const bool kept = ref_int(node, "upper", 1) ? right >= diagonal : right <= diagonal;
    y->values[n] = kept ? x->values[n] : 0;
  }
}

void ref_EyeLike(ref_node *node) {
  const ref_tensor *const x = node->inputs[0];
  crd_dtype dtype = x->dtype;
  if (ref_find(node, "dtype")) (void)ref_dtype((int)ref_int(node, "dtype", 1), &dtype);
  ref_tensor *const y = ref_make(node, 0, dtype, 2, x->dims, false);
  for (int64_t i = 0; i < x->dims[0]; i++)
    for (int64_t j = 0; j < x->dims[1]; j++)
      y->values[i * x->dims[1] + j] = j - i == ref_int(node, "k", 0);
}

void ref_Range(ref_node *node) {
  const double start = node->inputs[0]->values[0], limit = node->inputs[1]->values[0];
  const double delta = node->inputs[2]->values[0];
  const int64_t count = (int64_t)fmax(ceil((limit - start) / delta), 0);
  ref_tensor *const y = ref_make(node, 0, node->inputs[0]->dtype, 1, &count, false);
  for (int64_t i = 0; i < count; i++) y->values[i] = start + (double)i * delta;
}

void ref_Size(ref_node *node) {
  ref_tensor *const y = ref_make(node, 0, CRD_I64, 0, NULL, false);
  y->values[0] = (double)ref_count(node->inputs[0]);
}

/* Indices, one column for each element that is not 0. */
void ref_NonZero(ref_node *node) {
  const ref_tensor *const x = node->inputs[0];
  int64_t dims[] = { x->rank ? (int64_t)x->rank : 1, 0 }, at[CRD_RANK_MAX] = { 0 }, column = 0;
  for (size_t n = 0; n < ref_count(x); n++) dims[1] += x->values[n] != 0;
  ref_tensor *const y = ref_make(node, 0, CRD_I64, 2, dims, false);
  for (size_t n = 0; n < ref_count(x); n++) {
    if (x->values[n] == 0) continue;
    ref_index(x, n, at);
    for (int64_t k = 0; k < dims[0]; k++) y->values[k * dims[1] + column] = (double)at[k];
    column++;
  }
}

/* Without an axis, of the flattened input. */
void ref_Compress(ref_node *node) {
  ref_tensor x = *node->inputs[0];
  const ref_tensor *const condition = node->inputs[1];
  const int64_t all = (int64_t)ref_count(&x);
  int64_t chosen[256], count = 0, at[CRD_RANK_MAX];
  if (!ref_find(node, "axis")) {
    x.rank = 1;
    x.dims[0] = all;
  }
  const size_t axis = ref_axis(ref_int(node, "axis", 0), x.rank);
  for (size_t i = 0; i < ref_count(condition); i++)
    if (condition->values[i] != 0) chosen[count++] = (int64_t)i;
  int64_t dims[CRD_RANK_MAX];
  for (size_t k = 0; k < x.rank; k++) dims[k] = k == axis ? count : x.dims[k];
  ref_tensor *const y = ref_make(node, 0, x.dtype, x.rank, dims, false);
  for (size_t n = 0; n < ref_count(y); n++) {
    ref_index(y, n, at);
    at[axis] = chosen[at[axis]];
    y->values[n] = x.values[ref_place(&x, at)];
  }
}

/* 1 for the first maximum along an axis; before opset 13 of all dimensions from the axis on. */
void ref_Hardmax(ref_node *node) {
  const ref_tensor *const x = node->inputs[0];
  const size_t axis = ref_axis(ref_int(node, "axis", node->opset < 13 ? 1 : -1), x->rank);
  size_t inner = 1, length = 1;
  for (size_t k = axis; k < x->rank; k++)
    *(k == axis || node->opset < 13 ? &length : &inner) *= (size_t)x->dims[k];
  ref_tensor *const y = ref_make(node, 0, x->dtype, x->rank, x->dims, false);
  for (size_t n = 0; n < ref_count(y); n++) {
    const size_t first = n / (inner * length) * inner * length + n % inner;
    size_t best = first;
    for (size_t i = 0; i < length; i++)
      if (x->values[first + i * inner] > x->values[best]) best = first + i * inner;
    y->values[n] = n == best;
  }
}

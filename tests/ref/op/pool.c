/*
 * pool.c -- the maximum or the mean of each window; global pooling has one window.
 *
 * Padding is never the maximum. It counts for the mean if count_include_pad is set, but the
 * overhang of ceil_mode does not. NaN is larger than anything.
 */
#include "ref/op/windows.h"

#include <math.h>

typedef struct {
  double best, sum, sizes;
  size_t best_at, taken, padded;
} window;

static window look(const ref_windows *w, const ref_tensor *x, const int64_t *out) {
  window seen = { .best = -INFINITY };
  int64_t at[CRD_RANK_MAX] = { out[0], out[1] }, cell[CRD_RANK_MAX];
  ref_tensor kernel = { .rank = w->rank };
  for (size_t k = 0; k < w->rank; k++) kernel.dims[k] = w->size[k];
  for (size_t c = 0; c < ref_count(&kernel); c++) {
    bool real = true, counted = true;
    ref_index(&kernel, c, cell);
    for (size_t k = 0; k < w->rank; k++) {
      const int64_t length = x->dims[2 + k];
      at[2 + k] = out[2 + k] * w->stride[k] - w->before[k] + cell[k] * w->dilation[k];
      real = real && at[2 + k] >= 0 && at[2 + k] < length;
      counted = counted && at[2 + k] < length + w->after[k];
    }
    seen.padded += counted;
    if (!real) continue;
    const size_t place = ref_place(x, at);
    const double v = x->values[place];
    if (!seen.taken || v > seen.best || (isnan(v) && !isnan(seen.best))) {
      seen.best = v;
      seen.best_at = place;
    }
    seen.taken++;
    seen.sum += v;
    seen.sizes += fabs(v);
  }
  return seen;
}

/* With storage_order 1, return the index with the first spatial dimension running fastest. */
static size_t column_major(const ref_tensor *x, size_t place) {
  int64_t at[CRD_RANK_MAX];
  ref_index(x, place, at);
  size_t n = 0;
  for (size_t k = x->rank; k-- > 2;) n = n * (size_t)x->dims[k] + (size_t)at[k];
  size_t plane = 1;
  for (size_t k = 2; k < x->rank; k++) plane *= (size_t)x->dims[k];
  return ((size_t)at[0] * (size_t)x->dims[1] + (size_t)at[1]) * plane + n;
}

static void pool(ref_node *node, const ref_windows *w, bool mean) {
  const ref_tensor *const x = node->inputs[0];
  const bool padding = ref_int(node, "count_include_pad", 0) != 0;
  int64_t dims[CRD_RANK_MAX] = { x->dims[0], x->dims[1] }, out[CRD_RANK_MAX];
  for (size_t k = 0; k < w->rank; k++) dims[2 + k] = w->count[k];
  ref_tensor *const y = ref_make(node, 0, x->dtype, x->rank, dims, mean);
  ref_tensor *const indices = mean ? NULL : ref_make(node, 1, CRD_I64, x->rank, dims, false);
  for (size_t n = 0; n < ref_count(y); n++) {
    ref_index(y, n, out);
    const window seen = look(w, x, out);
    const double count = (double)(padding ? seen.padded : seen.taken);
    y->values[n] = mean ? seen.sum / count : seen.best;
    if (mean) y->slack[n] = (count + 1) * seen.sizes / count;
    if (indices)
      indices->values[n] =
          (double)(ref_int(node, "storage_order", 0) ? column_major(x, seen.best_at)
                                                     : seen.best_at);
  }
}

static void local(ref_node *node, bool mean) {
  int64_t size[REF_NUMBERS_MAX];
  size_t count;
  ref_ints(node, "kernel_shape", NULL, &count, size);
  const ref_windows w = ref_windows_of(node, size);
  pool(node, &w, mean);
}

static void global(ref_node *node, bool mean) {
  const ref_windows w = ref_windows_of(node, node->inputs[0]->dims + 2);
  pool(node, &w, mean);
}

void ref_MaxPool(ref_node *node) { local(node, false); }
void ref_AveragePool(ref_node *node) { local(node, true); }
void ref_GlobalMaxPool(ref_node *node) { global(node, false); }
void ref_GlobalAveragePool(ref_node *node) { global(node, true); }

/* Conv.c -- convolution in groups of channels, in any number of spatial dimensions. */
#include "ref/op/windows.h"

#include <math.h>

/* Find the input element under an element of the kernel; false: in the padding. */
static bool inside(const ref_windows *w, const ref_tensor *x, const int64_t *out,
                   const int64_t *cell, int64_t *at) {
  for (size_t k = 0; k < w->rank; k++) {
    at[2 + k] = out[2 + k] * w->stride[k] - w->before[k] + cell[2 + k] * w->dilation[k];
    if (at[2 + k] < 0 || at[2 + k] >= x->dims[2 + k]) return false;
  }
  return true;
}

void ref_Conv(ref_node *node) {
  const ref_tensor *const x = node->inputs[0], *const kernel = node->inputs[1];
  const ref_tensor *const bias = ref_input(node, 2);
  const ref_windows w = ref_windows_of(node, kernel->dims + 2);
  const int64_t share = kernel->dims[0] / ref_int(node, "group", 1);
  int64_t dims[CRD_RANK_MAX] = { x->dims[0], kernel->dims[0] };
  int64_t out[CRD_RANK_MAX], cell[CRD_RANK_MAX], at[CRD_RANK_MAX];
  for (size_t k = 0; k < w.rank; k++) dims[2 + k] = w.count[k];
  ref_tensor *const y = ref_make(node, 0, x->dtype, x->rank, dims, true);
  const size_t cells = ref_count(kernel) / (size_t)kernel->dims[0];
  for (size_t n = 0; n < ref_count(y); n++) {
    ref_index(y, n, out);
    const double b = bias ? bias->values[out[1]] : 0;
    long double sum = b, sizes = fabs(b);
    for (size_t c = 0; c < cells; c++) {
      const size_t place = (size_t)out[1] * cells + c;
      ref_index(kernel, place, cell);
      at[0] = out[0];
      at[1] = out[1] / share * kernel->dims[1] + cell[1];
      if (!inside(&w, x, out, cell, at)) continue;
      const double term = kernel->values[place] * x->values[ref_place(x, at)];
      sum += term;
      sizes += fabs(term);
    }
    y->values[n] = (double)sum;
    y->slack[n] = (double)(cells + 1) * (double)sizes;
  }
}

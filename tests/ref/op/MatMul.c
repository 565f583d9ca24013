/* MatMul.c -- matrices of the last two dimensions, broadcast over those before. A vector on the
 * left is a row and one on the right a column, and that dimension is dropped from the result. */
#include "ref/op.h"

#include <math.h>
#include <string.h>

static ref_tensor matrix(const ref_tensor *t, bool row) {
  ref_tensor m = *t;
  if (m.rank > 1) return m;
  m.rank = 2;
  m.dims[0] = row ? 1 : t->dims[0];
  m.dims[1] = row ? t->dims[0] : 1;
  return m;
}

/* Return the batch: all but the last two dimensions. */
static ref_tensor stack(const ref_tensor *m) {
  ref_tensor s = *m;
  s.rank -= 2;
  return s;
}

void ref_MatMul(ref_node *node) {
  const ref_tensor *const left = node->inputs[0], *const right = node->inputs[1];
  const ref_tensor a = matrix(left, true), b = matrix(right, false);
  const ref_tensor above = stack(&a), beside = stack(&b);
  const int64_t rows = a.dims[a.rank - 2], inner = a.dims[a.rank - 1], columns = b.dims[b.rank - 1];
  int64_t dims[CRD_RANK_MAX], at[CRD_RANK_MAX];
  const size_t stacked = ref_broadcast(&above, &beside, dims);
  size_t rank = stacked;
  if (left->rank > 1) dims[rank++] = rows;
  if (right->rank > 1) dims[rank++] = columns;
  ref_tensor *const y = ref_make(node, 0, left->dtype, rank, dims, ref_is_float(left->dtype));
  for (size_t n = 0; n < ref_count(y); n++) {
    ref_index(y, n, at);
    const int64_t i = left->rank > 1 ? at[stacked] : 0;
    const int64_t j = right->rank > 1 ? at[rank - 1] : 0;
    const double *const p =
        a.values + ref_spread(&above, at, stacked) * (size_t)(rows * inner) + i * inner;
    const double *const q = b.values + ref_spread(&beside, at, stacked) * (size_t)(inner * columns);
    long double sum = 0, sizes = 0;
    for (int64_t k = 0; k < inner; k++) {
      sum += p[k] * q[k * columns + j];
      sizes += fabs(p[k] * q[k * columns + j]);
    }
    y->values[n] = (double)sum;
    if (y->slack) y->slack[n] = (double)(inner * sizes);
  }
}

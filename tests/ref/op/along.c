/* along.c -- CumSum, ArgMax, ArgMin and TopK: along one axis. */
#include "ref/op.h"

#include <math.h>

void ref_CumSum(ref_node *node) {
  const ref_tensor *const x = node->inputs[0];
  const size_t axis = ref_axis((int64_t)node->inputs[1]->values[0], x->rank);
  const bool reverse = ref_int(node, "reverse", 0), exclusive = ref_int(node, "exclusive", 0);
  ref_tensor *const y = ref_make(node, 0, x->dtype, x->rank, x->dims, ref_is_float(x->dtype));
  int64_t at[CRD_RANK_MAX];
  for (size_t n = 0; n < ref_count(y); n++) {
    ref_index(y, n, at);
    const int64_t own = at[axis];
    for (int64_t k = 0; k < x->dims[axis]; k++) {
      if (reverse ? k < own : k > own) continue;
      if (exclusive && k == own) continue;
      at[axis] = k;
      y->values[n] += x->values[ref_place(x, at)];
      if (y->slack) y->slack[n] += fabs(x->values[ref_place(x, at)]);
    }
  }
}

/* True if a is greater than b, where NaN is the greatest. */
static bool above(double a, double b) { return isnan(a) ? !isnan(b) : a > b; }
static bool equal(double a, double b) { return isnan(a) ? isnan(b) : a == b; }

static void arg(ref_node *node, bool least) {
  const ref_tensor *const x = node->inputs[0];
  const size_t axis = ref_axis(ref_int(node, "axis", 0), x->rank);
  const bool keep = ref_int(node, "keepdims", 1), last = ref_int(node, "select_last_index", 0);
  int64_t dims[CRD_RANK_MAX], at[CRD_RANK_MAX], from[CRD_RANK_MAX];
  size_t rank = 0;
  for (size_t k = 0; k < x->rank; k++)
    if (keep || k != axis) dims[rank++] = k == axis ? 1 : x->dims[k];
  ref_tensor *const y = ref_make(node, 0, CRD_I64, rank, dims, false);
  for (size_t n = 0; n < ref_count(y); n++) {
    double best = 0;
    ref_index(y, n, at);
    for (size_t k = 0, j = 0; k < x->rank; k++) from[k] = keep || k != axis ? at[j++] : 0;
    for (int64_t k = 0; k < x->dims[axis]; k++) {
      from[axis] = k;
      const double v = x->values[ref_place(x, from)];
      const bool nan = isnan(v) && !isnan(best); /* also before every number of ArgMin */
      const bool better = nan || (!isnan(best) && (least ? v < best : v > best));
      if (k && !better && !(last && equal(v, best))) continue;
      best = v;
      y->values[n] = (double)k;
    }
  }
}

void ref_ArgMax(ref_node *node) { arg(node, false); }
void ref_ArgMin(ref_node *node) { arg(node, true); }

/* An element's place is the number of elements that come before it. */
void ref_TopK(ref_node *node) {
  const ref_tensor *const x = node->inputs[0];
  const size_t axis = ref_axis(ref_int(node, "axis", -1), x->rank);
  const bool largest = ref_int(node, "largest", 1);
  const int64_t k =
      node->input_count > 1 ? (int64_t)node->inputs[1]->values[0] : ref_int(node, "k", 0);
  int64_t dims[CRD_RANK_MAX], at[CRD_RANK_MAX];
  for (size_t d = 0; d < x->rank; d++) dims[d] = d == axis ? k : x->dims[d];
  ref_tensor *const y = ref_make(node, 0, x->dtype, x->rank, dims, false);
  ref_tensor *const places = ref_make(node, 1, CRD_I64, x->rank, dims, false);
  for (size_t n = 0; n < ref_count(x); n++) {
    const double v = x->values[n];
    int64_t before = 0;
    ref_index(x, n, at);
    const int64_t own = at[axis];
    for (int64_t j = 0; j < x->dims[axis]; j++) {
      at[axis] = j;
      const double other = x->values[ref_place(x, at)];
      before += equal(v, other) ? j < own : largest ? above(other, v) : above(v, other);
    }
    if (before >= k) continue;
    at[axis] = before;
    y->values[ref_place(y, at)] = v;
    places->values[ref_place(y, at)] = (double)own;
  }
}

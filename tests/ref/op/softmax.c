/*
 * softmax.c -- softmax and log-softmax along an axis.
 *
 * Before opset 13 the input was flattened to a matrix whose rows begin at the axis (default 1);
 * since then only along the axis (default the last).
 */
#include "ref/op.h"

#include <math.h>

enum { ROUNDINGS = 8 };

static void run(ref_node *node, bool logarithm) {
  const ref_tensor *const x = node->inputs[0];
  const size_t axis = ref_axis(ref_int(node, "axis", node->opset < 13 ? 1 : -1), x->rank);
  size_t inner = 1, length = 1;
  for (size_t k = axis; k < x->rank; k++)
    *(k == axis || node->opset < 13 ? &length : &inner) *= (size_t)x->dims[k];
  ref_tensor *const y = ref_make(node, 0, x->dtype, x->rank, x->dims, true);
  for (size_t n = 0; n < ref_count(y); n++) {
    const size_t first = n / (inner * length) * inner * length + n % inner;
    double top = -INFINITY;
    long double sum = 0;
    for (size_t i = 0; i < length; i++) top = fmax(top, x->values[first + i * inner]);
    for (size_t i = 0; i < length; i++)
      sum += expl((long double)x->values[first + i * inner] - top);
    const double way = x->values[n] - top, roundings = (double)(length + ROUNDINGS);
    y->values[n] = logarithm ? (double)(way - logl(sum)) : (double)(expl(way) / sum);
    y->slack[n] = logarithm
                      ? roundings * (fabs(x->values[n]) + fabs(top) + (double)fabsl(logl(sum)) + 1)
                      : roundings * y->values[n] * (1 + fabs(way));
  }
}

void ref_Softmax(ref_node *node) { run(node, false); }
void ref_LogSoftmax(ref_node *node) { run(node, true); }

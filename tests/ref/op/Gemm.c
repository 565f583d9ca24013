/* Gemm.c -- alpha A B + beta C, with C broadcast to the result. */
#include "ref/op.h"

#include <math.h>

void ref_Gemm(ref_node *node) {
  const ref_tensor *const a = node->inputs[0], *const b = node->inputs[1];
  const ref_tensor *const c = ref_input(node, 2);
  const double alpha = ref_number(node, "alpha", 1), beta = ref_number(node, "beta", 1);
  const bool ta = ref_int(node, "transA", 0) != 0, tb = ref_int(node, "transB", 0) != 0;
  const int64_t inner = a->dims[!ta];
  const int64_t dims[] = { a->dims[ta], b->dims[!tb] };
  ref_tensor *const y = ref_make(node, 0, a->dtype, 2, dims, ref_is_float(a->dtype));
  for (size_t n = 0; n < ref_count(y); n++) {
    int64_t at[2];
    ref_index(y, n, at);
    long double sum = 0, sizes = 0;
    for (int64_t k = 0; k < inner; k++) {
      const int64_t p[] = { ta ? k : at[0], ta ? at[0] : k },
                    q[] = { tb ? at[1] : k, tb ? k : at[1] };
      const double term = a->values[ref_place(a, p)] * b->values[ref_place(b, q)];
      sum += term;
      sizes += fabs(term);
    }
    const double add = c ? beta * c->values[ref_spread(c, at, 2)] : 0;
    y->values[n] = (double)(alpha * sum + add);
    if (y->slack) y->slack[n] = (double)(inner + 3) * (double)(fabs(alpha) * sizes + fabs(add));
  }
}

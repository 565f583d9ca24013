/* Cast.c -- floats are truncated to integers; bool is x != 0. */
#include "ref/op.h"

#include <math.h>

void ref_Cast(ref_node *node) {
  const ref_tensor *const x = node->inputs[0];
  crd_dtype dtype = x->dtype;
  ref_dtype((int)ref_int(node, "to", 0), &dtype);
  ref_tensor *const y = ref_make(node, 0, dtype, x->rank, x->dims, false);
  for (size_t n = 0; n < ref_count(y); n++) {
    const double v = x->values[n];
    if (dtype == CRD_BOOL) y->values[n] = v != 0;
    else y->values[n] = ref_round(dtype, ref_is_float(dtype) ? v : trunc(v));
  }
}

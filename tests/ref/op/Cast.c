/* Cast.c -- floats are truncated to integers; bool is x != 0. CastLike has the type of its second
 * input. */
#include "ref/op.h"

#include <math.h>

static void cast(ref_node *node, crd_dtype dtype) {
  const ref_tensor *const x = node->inputs[0];
  ref_tensor *const y = ref_make(node, 0, dtype, x->rank, x->dims, false);
  for (size_t n = 0; n < ref_count(y); n++) {
    const double v = x->values[n];
    if (dtype == CRD_BOOL) y->values[n] = v != 0;
    else y->values[n] = ref_round(dtype, ref_is_float(dtype) ? v : trunc(v));
  }
}

void ref_Cast(ref_node *node) {
  crd_dtype dtype = node->inputs[0]->dtype;
  ref_dtype((int)ref_int(node, "to", 0), &dtype);
  cast(node, dtype);
}

void ref_CastLike(ref_node *node) { cast(node, node->inputs[1]->dtype); }

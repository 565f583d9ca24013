/* Dropout.c -- in inference, and with ratio 0 in training: the identity, with a mask of all true.
 * Before opset 12 the mask in inference was undefined; before 10 it had the input's type. */
#include "ref/op.h"

void ref_Dropout(ref_node *node) {
  const ref_tensor *const x = node->inputs[0];
  ref_tensor *const y = ref_make(node, 0, x->dtype, x->rank, x->dims, false);
  ref_tensor *const mask =
      ref_make(node, 1, node->opset < 10 ? x->dtype : CRD_BOOL, x->rank, x->dims, false);
  for (size_t n = 0; n < ref_count(y); n++) {
    y->values[n] = x->values[n];
    mask->values[n] = 1;
  }
}

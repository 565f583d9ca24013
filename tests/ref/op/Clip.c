/* Clip.c -- clip to bounds: attributes before opset 11, inputs since. The upper one wins. */
#include "ref/op.h"

#include <math.h>

static double bound(const ref_node *node, size_t input, const char *name, double otherwise) {
  const ref_tensor *const given = ref_input(node, input);
  if (given) return given->values[0];
  return node->opset < 11 && ref_find(node, name) ? ref_number(node, name, 0) : otherwise;
}

void ref_Clip(ref_node *node) {
  const ref_tensor *const x = node->inputs[0];
  const double low = bound(node, 1, "min", -INFINITY), high = bound(node, 2, "max", INFINITY);
  ref_tensor *const y = ref_make(node, 0, x->dtype, x->rank, x->dims, false);
  for (size_t n = 0; n < ref_count(y); n++) {
    const double v = x->values[n] < low ? low : x->values[n];
    y->values[n] = v > high ? high : v;
  }
}

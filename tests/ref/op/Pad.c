/* Pad.c -- padding with a constant, the nearest value (edge), or mirrored values (reflect, without
 * the border). Negative padding crops. Attributes before opset 11, inputs since. */
#include "ref/op.h"

static int64_t mirrored(int64_t i, int64_t length) {
  while (i < 0 || i >= length) i = i < 0 ? -i : 2 * (length - 1) - i;
  return i;
}

static int64_t nearest(int64_t i, int64_t length) {
  return i < 0 ? 0 : i < length ? i : length - 1;
}

void ref_Pad(ref_node *node) {
  const ref_tensor *const x = node->inputs[0], *const given = ref_input(node, 2);
  const double value = given ? given->values[0] : ref_number(node, "value", 0);
  int64_t pads[REF_NUMBERS_MAX], dims[CRD_RANK_MAX], at[CRD_RANK_MAX];
  size_t count;
  ref_ints(node, "pads", ref_input(node, 1), &count, pads);
  for (size_t k = 0; k < x->rank; k++) dims[k] = x->dims[k] + pads[k] + pads[x->rank + k];
  ref_tensor *const y = ref_make(node, 0, x->dtype, x->rank, dims, false);
  for (size_t n = 0; n < ref_count(y); n++) {
    bool outside = false;
    ref_index(y, n, at);
    for (size_t k = 0; k < x->rank; k++) {
      at[k] -= pads[k];
      if (ref_is(node, "mode", "reflect")) at[k] = mirrored(at[k], x->dims[k]);
      if (ref_is(node, "mode", "edge")) at[k] = nearest(at[k], x->dims[k]);
      outside = outside || at[k] < 0 || at[k] >= x->dims[k];
    }
    y->values[n] = outside ? value : x->values[ref_place(x, at)];
  }
}

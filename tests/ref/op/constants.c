/* constants.c -- constants in the graph. */
#include "ref/op.h"

#include <string.h>

/* A tensor; or since opset 12, a number or a list. */
void ref_Constant(ref_node *node) {
  const ref_attribute *const a = node->attributes;
  const bool list = a->kind == REF_FLOATS || a->kind == REF_INTS;
  const bool whole = a->kind == REF_INT || a->kind == REF_INTS;
  const int64_t count = list ? (int64_t)a->count : 1;
  const ref_tensor *const t = a->tensor;
  ref_tensor *const y = t ? ref_make(node, 0, t->dtype, t->rank, t->dims, false)
                          : ref_make(node, 0, whole ? CRD_I64 : CRD_F32, list, &count, false);
  memcpy(y->values, t ? t->values : a->numbers, ref_count(y) * sizeof *y->values);
}

/* The value has one element and determines the type; default: 0 of float32. */
void ref_ConstantOfShape(ref_node *node) {
  const ref_attribute *const value = ref_find(node, "value");
  int64_t dims[CRD_RANK_MAX];
  size_t rank;
  ref_ints(node, "", node->inputs[0], &rank, dims);
  ref_tensor *const y =
      ref_make(node, 0, value ? value->tensor->dtype : CRD_F32, rank, dims, false);
  for (size_t n = 0; n < ref_count(y); n++) y->values[n] = value ? value->tensor->values[0] : 0;
}

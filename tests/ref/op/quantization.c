/*
 * quantization.c -- q = saturate(round(x / scale) + zero) and x = (q - zero) scale, in float32,
 * with one scale, one for each index along an axis, or one for each block of indices.
 */
#include "ref/op/quantized.h"

#include <math.h>

double ref_saturate(crd_dtype dtype, double value) {
  const int bits = dtype == CRD_I8 || dtype == CRD_U8 ? 8 : 16;
  const bool sign = dtype == CRD_I8 || dtype == CRD_I16;
  const double low = sign ? -ldexp(1, bits - 1) : 0, high = ldexp(1, sign ? bits - 1 : bits) - 1;
  return isnan(value) ? 0 : fmin(fmax(value, low), high);
}

/* The scale, or zero point, of the element of x at an index. */
static double value_at(const ref_tensor *scale, const int64_t *index, size_t axis, int64_t block) {
  int64_t at[CRD_RANK_MAX];
  if (ref_count(scale) == 1) return scale->values[0];
  if (!block) return scale->values[index[axis]];
  for (size_t k = 0; k < scale->rank; k++) at[k] = k == axis ? index[k] / block : index[k];
  return scale->values[ref_place(scale, at)];
}

static size_t axis_of(const ref_node *node) {
  const int64_t axis = ref_int(node, "axis", 1);
  return (size_t)(axis < 0 ? axis + (int64_t)node->inputs[0]->rank : axis);
}

void ref_QuantizeLinear(ref_node *node) {
  const ref_tensor *const x = node->inputs[0], *const scale = node->inputs[1];
  const ref_tensor *const zero = ref_input(node, 2);
  const int64_t block = ref_int(node, "block_size", 0);
  const bool half = x->dtype == CRD_F16 && scale->dtype == CRD_F16;
  crd_dtype to = zero ? zero->dtype : CRD_U8, type = half ? CRD_F16 : CRD_F32;
  int64_t at[CRD_RANK_MAX];
  ref_dtype((int)ref_int(node, "output_dtype", 0), &to);
  ref_dtype((int)ref_int(node, "precision", 0), &type);
  ref_tensor *const y = ref_make(node, 0, to, x->rank, x->dims, false);
  for (size_t n = 0; n < ref_count(y); n++) {
    ref_index(y, n, at);
    const double s = value_at(scale, at, axis_of(node), block);
    const double z = zero ? value_at(zero, at, axis_of(node), block) : 0;
    y->values[n] = ref_saturate(to, nearbyint(ref_round(type, x->values[n] / s)) + z);
  }
}

void ref_DequantizeLinear(ref_node *node) {
  const ref_tensor *const x = node->inputs[0], *const scale = node->inputs[1];
  const ref_tensor *const zero = ref_input(node, 2);
  const int64_t block = ref_int(node, "block_size", 0);
  crd_dtype to = scale->dtype;
  int64_t at[CRD_RANK_MAX];
  ref_dtype((int)ref_int(node, "output_dtype", 0), &to);
  ref_tensor *const y = ref_make(node, 0, to, x->rank, x->dims, false);
  for (size_t n = 0; n < ref_count(y); n++) {
    ref_index(y, n, at);
    const double s = value_at(scale, at, axis_of(node), block);
    const double z = zero ? value_at(zero, at, axis_of(node), block) : 0;
    y->values[n] = ref_round(to, ref_round(CRD_F32, ref_round(CRD_F32, x->values[n] - z) * s));
  }
}

void ref_DynamicQuantizeLinear(ref_node *node) {
  const ref_tensor *const x = node->inputs[0];
  float high = 0, low = 0;
  for (size_t n = 0; n < ref_count(x); n++) {
    high = fmaxf(high, (float)x->values[n]);
    low = fminf(low, (float)x->values[n]);
  }
  ref_tensor *const y = ref_make(node, 0, CRD_U8, x->rank, x->dims, false);
  ref_tensor *const scale = ref_make(node, 1, CRD_F32, 0, NULL, false);
  ref_tensor *const zero = ref_make(node, 2, CRD_U8, 0, NULL, false);
  const float step = high == low ? 1 : (high - low) / 255;
  scale->values[0] = (double)step;
  zero->values[0] = ref_saturate(CRD_U8, (double)nearbyintf(-low / step));
  for (size_t n = 0; n < ref_count(y); n++)
    y->values[n] =
        ref_saturate(CRD_U8, (double)nearbyintf((float)x->values[n] / step) + zero->values[0]);
}

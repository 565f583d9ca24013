/* tensor.c -- values as bytes, and comparison of computed with expected values. */
#include "modelkit/modelkit.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double half_value(uint16_t bits) {
  const int exponent = bits >> 10 & 31, digits = bits & 1023;
  const double size = exponent == 31 ? (digits ? (double)NAN : (double)INFINITY)
                      : exponent     ? ldexp(1024 + digits, exponent - 25)
                                     : ldexp(digits, -24);
  return bits >> 15 ? -size : size;
}

/* Of a value representable in float16. */
static uint16_t half_bits(double value) {
  const uint16_t sign = signbit(value) ? 0x8000 : 0;
  const double size = fabs(value);
  int exponent;
  if (isnan(value)) return 0x7e00;
  if (isinf(value)) return sign | 0x7c00;
  (void)frexp(size, &exponent);
  if (exponent < -13) return (uint16_t)(sign | (uint16_t)ldexp(size, 24));
  return (uint16_t)(sign | (exponent + 14) << 10 | ((uint16_t)ldexp(size, 11 - exponent) & 1023));
}

/* A bfloat16 is the upper half of a float32. */
static double bfloat_value(uint16_t bits) {
  const uint32_t all = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &all, sizeof value);
  return (double)value;
}

static uint16_t bfloat_bits(double value) {
  const float rounded = (float)ref_round(CRD_BF16, value);
  uint32_t bits;
  memcpy(&bits, &rounded, sizeof bits);
  return (uint16_t)(bits >> 16);
}

#define TYPES(X)                                                                                   \
  X(F32, float)                                                                                    \
  X(F64, double)                                                                                   \
  X(I8, int8_t)                                                                                    \
  X(I16, int16_t)                                                                                  \
  X(I32, int32_t)                                                                                  \
  X(I64, int64_t) X(U8, uint8_t) X(U16, uint16_t) X(U32, uint32_t) X(U64, uint64_t) X(BOOL, uint8_t)

static void put(crd_dtype dtype, double value, void *to) {
  if (dtype == CRD_F16)
    memcpy(to, &(uint16_t){ half_bits(ref_round(CRD_F16, value)) }, sizeof(uint16_t));
  if (dtype == CRD_BF16) memcpy(to, &(uint16_t){ bfloat_bits(value) }, sizeof(uint16_t));
#define X(id, type)                                                                                \
  if (dtype == CRD_##id) memcpy(to, &(type){ (type)value }, sizeof(type));
  TYPES(X)
#undef X
}

static double get(crd_dtype dtype, const void *from) {
  double value = 0;
  uint16_t half;
  if (dtype == CRD_F16 || dtype == CRD_BF16) {
    memcpy(&half, from, sizeof half);
    return dtype == CRD_F16 ? half_value(half) : bfloat_value(half);
  }
#define X(id, type)                                                                                \
  if (dtype == CRD_##id) {                                                                         \
    type stored;                                                                                   \
    memcpy(&stored, from, sizeof stored);                                                          \
    value = (double)stored;                                                                        \
  }
  TYPES(X)
#undef X
  return value;
}

void *net_store(const ref_tensor *t) {
  const size_t count = ref_count(t), size = crd_dtype_size(t->dtype);
  char *const bytes = calloc(count + 1, size);
  for (size_t i = 0; i < count; i++) put(t->dtype, t->values[i], bytes + i * size);
  return bytes;
}

ref_tensor net_load(crd_dtype dtype, size_t rank, const int64_t *dims, const void *bytes) {
  ref_tensor t = { .dtype = dtype, .rank = rank };
  for (size_t k = 0; k < rank; k++) t.dims[k] = dims[k];
  t.values = calloc(ref_count(&t) + 1, sizeof(double));
  for (size_t i = 0; i < ref_count(&t); i++)
    t.values[i] = get(dtype, (const char *)bytes + i * crd_dtype_size(dtype));
  return t;
}

static bool close_enough(const ref_tensor *want, size_t i, double got) {
  const double value = want->values[i], rounded = ref_round(want->dtype, value);
  if (isnan(value)) return isnan(got);
  if (!want->slack || isinf(rounded)) return got == rounded;
  /* Subnormal numbers have no relative precision. */
  const double smallest = want->dtype == CRD_F16   ? ldexp(1, -14)
                          : want->dtype != CRD_F64 ? (double)FLT_MIN
                                                   : DBL_MIN;
  return fabs(got - value) <= ref_epsilon(want->dtype) * want->slack[i] + smallest;
}

bool net_agrees(const ref_tensor *want, const crd_array *got, char why[200]) {
  if (got->dtype != want->dtype || got->rank != want->rank) {
    snprintf(why, 200, "got %s of rank %zu instead of %s of rank %zu", crd_dtype_name(got->dtype),
             got->rank, crd_dtype_name(want->dtype), want->rank);
    return false;
  }
  for (size_t k = 0; k < want->rank; k++) {
    if (got->dims[k] == want->dims[k]) continue;
    snprintf(why, 200, "dimension %zu is %lld instead of %lld", k, (long long)got->dims[k],
             (long long)want->dims[k]);
    return false;
  }
  for (size_t i = 0; got->data && i < ref_count(want); i++) {
    const double value = get(got->dtype, (const char *)got->data + i * crd_dtype_size(got->dtype));
    if (close_enough(want, i, value)) continue;
    const double off = fabs(value - want->values[i]) / ref_epsilon(want->dtype);
    snprintf(why, 200, "got %.9g instead of %.9g at %zu: off by %.3g epsilon, allowed are %.3g",
             value, want->values[i], i, off, want->slack ? want->slack[i] : 0);
    return false;
  }
  return true;
}

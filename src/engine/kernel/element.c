/* element.c -- see element.h. */
#include "engine/kernel/element.h"

#include "base/parallel.h"
#include "math/half.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* One entry per type: constant, C type, carrier, member of a block. */
#define PLAIN_TYPES(X)                                                                             \
  X(F32, float, REAL, real)                                                                        \
  X(F64, double, REAL, real)                                                                       \
  X(I8, int8_t, SIGNED, whole)                                                                     \
  X(I16, int16_t, SIGNED, whole)                                                                   \
  X(I32, int32_t, SIGNED, whole)                                                                   \
  X(I64, int64_t, SIGNED, whole)                                                                   \
  X(U8, uint8_t, UNSIGNED, natural)                                                                \
  X(U16, uint16_t, UNSIGNED, natural)                                                              \
  X(U32, uint32_t, UNSIGNED, natural)                                                              \
  X(U64, uint64_t, UNSIGNED, natural)

crd__kernel_carrier crd__kernel_carrier_of(crd_dtype dtype) {
  static const crd__kernel_carrier carriers[] = {
#define X(id, type, carrier, member) [CRD_##id] = CRD__##carrier,
    PLAIN_TYPES(X)
#undef X
        [CRD_F16] = CRD__REAL,
    [CRD_BF16] = CRD__REAL,
    [CRD_BOOL] = CRD__SIGNED,
  };
  return carriers[dtype];
}

/* Elements may be unaligned. */
#define X(id, type, carrier, member)                                                               \
  static void load_##type(size_t n, const char *from, ptrdiff_t step, crd__kernel_block *to) {     \
    for (size_t i = 0; i < n; i++) {                                                               \
      type value;                                                                                  \
      memcpy(&value, from + (ptrdiff_t)i * step * (ptrdiff_t)sizeof value, sizeof value);          \
      to->member[i] = value;                                                                       \
    }                                                                                              \
  }                                                                                                \
  static void store_##type(size_t n, const crd__kernel_block *from, char *to, ptrdiff_t step) {    \
    for (size_t i = 0; i < n; i++) {                                                               \
      const type value = (type)from->member[i];                                                    \
      memcpy(to + (ptrdiff_t)i * step * (ptrdiff_t)sizeof value, &value, sizeof value);            \
    }                                                                                              \
  }
PLAIN_TYPES(X)
#undef X

static void load_half(size_t n, const char *from, ptrdiff_t step, crd__kernel_block *to) {
  for (size_t i = 0; i < n; i++) {
    uint16_t half;
    memcpy(&half, from + 2 * (ptrdiff_t)i * step, sizeof half);
    to->real[i] = crd__math_half_to_double(half);
  }
}

static void store_half(size_t n, const crd__kernel_block *from, char *to, ptrdiff_t step) {
  for (size_t i = 0; i < n; i++) {
    const uint16_t half = crd__math_half_from_double(from->real[i]);
    memcpy(to + 2 * (ptrdiff_t)i * step, &half, sizeof half);
  }
}

static void load_bfloat(size_t n, const char *from, ptrdiff_t step, crd__kernel_block *to) {
  for (size_t i = 0; i < n; i++) {
    uint16_t half;
    memcpy(&half, from + 2 * (ptrdiff_t)i * step, sizeof half);
    to->real[i] = crd__math_bfloat_to_double(half);
  }
}

static void store_bfloat(size_t n, const crd__kernel_block *from, char *to, ptrdiff_t step) {
  for (size_t i = 0; i < n; i++) {
    const uint16_t half = crd__math_bfloat_from_double(from->real[i]);
    memcpy(to + 2 * (ptrdiff_t)i * step, &half, sizeof half);
  }
}

static void load_truth(size_t n, const char *from, ptrdiff_t step, crd__kernel_block *to) {
  for (size_t i = 0; i < n; i++) to->whole[i] = from[(ptrdiff_t)i * step] != 0;
}

static void store_truth(size_t n, const crd__kernel_block *from, char *to, ptrdiff_t step) {
  for (size_t i = 0; i < n; i++) to[(ptrdiff_t)i * step] = (char)(from->whole[i] != 0);
}

static const struct {
  void (*load)(size_t n, const char *from, ptrdiff_t step, crd__kernel_block *to);
  void (*store)(size_t n, const crd__kernel_block *from, char *to, ptrdiff_t step);
} types[] = {
#define X(id, type, carrier, member) [CRD_##id] = { load_##type, store_##type },
  PLAIN_TYPES(X)
#undef X
      [CRD_F16] = { load_half, store_half },
  [CRD_BF16] = { load_bfloat, store_bfloat },
  [CRD_BOOL] = { load_truth, store_truth },
};

void crd__kernel_block_load(crd_dtype dtype, size_t n, const void *from, ptrdiff_t step,
                            crd__kernel_block *to) {
  types[dtype].load(n, from, step, to);
}

void crd__kernel_block_store(crd_dtype dtype, size_t n, const crd__kernel_block *from, void *to,
                             ptrdiff_t step) {
  types[dtype].store(n, from, to, step);
}

/* ---- Conversions between carriers. */

/* 2^63 and 2^64 are the first doubles that are too large. */
static int64_t to_whole(double x, double low, double high) {
  if (isnan(x)) return 0;
  if (x <= low) return low <= -0x1p63 ? INT64_MIN : (int64_t)low;
  if (x >= high) return high >= 0x1p63 ? INT64_MAX : (int64_t)high;
  return (int64_t)x;
}

static uint64_t to_natural(double x, double high) {
  if (isnan(x) || x <= 0) return 0;
  if (x >= high) return high >= 0x1p64 ? UINT64_MAX : (uint64_t)high;
  return (uint64_t)x;
}

/* Return the upper limit of an integer type, 2^digits - 1; rounded to 2^digits if that is not a
 * double. */
static double last_of(crd_dtype dtype) {
  const int bits = (int)(8 * crd_dtype_size(dtype));
  return ldexp(1, crd__kernel_carrier_of(dtype) == CRD__UNSIGNED ? bits : bits - 1) - 1;
}

static void convert_real(crd_dtype to, size_t n, crd__kernel_block *b) {
  const double high = last_of(to);
  if (crd__kernel_carrier_of(to) == CRD__UNSIGNED)
    for (size_t i = 0; i < n; i++) b->natural[i] = to_natural(b->real[i], high);
  else if (crd__kernel_carrier_of(to) == CRD__SIGNED)
    for (size_t i = 0; i < n; i++) b->whole[i] = to_whole(b->real[i], -high - 1, high);
}

static void to_truth(crd__kernel_carrier from, size_t n, crd__kernel_block *b) {
  for (size_t i = 0; i < n; i++)
    b->whole[i] = from == CRD__REAL ? b->real[i] != 0 : b->whole[i] != 0;
}

void crd__kernel_block_convert(crd_dtype from, crd_dtype to, size_t n, crd__kernel_block *b) {
  const crd__kernel_carrier source = crd__kernel_carrier_of(from),
                            target = crd__kernel_carrier_of(to);
  if (to == CRD_BOOL) to_truth(source, n, b);
  else if (source == CRD__REAL) convert_real(to, n, b);
  else if (target != CRD__REAL) return; /* the bits stay; storing keeps the lower ones */
  else if (to == CRD_F32 && crd_dtype_size(from) == 8) /* through double it would round twice */
    for (size_t i = 0; i < n; i++)
      b->real[i] = (double)(source == CRD__SIGNED ? (float)b->whole[i] : (float)b->natural[i]);
  else if (from == CRD_U64)
    for (size_t i = 0; i < n; i++) b->real[i] = (double)b->natural[i];
  else /* smaller unsigned integers fit signed ones, which processors convert to double faster */
    for (size_t i = 0; i < n; i++) b->real[i] = (double)b->whole[i];
}

typedef struct {
  crd_dtype from, to;
  const char *x;
  char *y;
} casting;

static void cast_span(void *arg, size_t from, size_t to) {
  const casting *const c = arg;
  const size_t in = crd_dtype_size(c->from), out = crd_dtype_size(c->to);
  for (size_t i = from; i < to; i += CRD__BLOCK) {
    const size_t n = to - i < CRD__BLOCK ? to - i : CRD__BLOCK;
    crd__kernel_block b;
    crd__kernel_block_load(c->from, n, c->x + i * in, 1, &b);
    crd__kernel_block_convert(c->from, c->to, n, &b);
    crd__kernel_block_store(c->to, n, &b, c->y + i * out, 1);
  }
}

void crd__kernel_cast(unsigned threads, crd_dtype from, crd_dtype to, size_t n, const void *x,
                      void *y) {
  casting c = { .from = from, .to = to, .x = x, .y = y };
  if (!n) return;
  if (from == to) memmove(y, x, n * crd_dtype_size(to));
  else crd__parallel_spans(threads, n, 1 << 14, cast_span, &c);
}

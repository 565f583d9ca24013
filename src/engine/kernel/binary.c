/* binary.c -- see binary.h. Runs of float32 use the kernels of f32.h, with two arrays or an array
 * and a scalar; other types go through double or 64-bit integers. */
#include "engine/kernel/binary.h"

#include "engine/kernel/walk.h"

#include <math.h>
#include <string.h>

enum { OUT, LEFT, RIGHT };

typedef struct {
  int id;
  char *z;
  crd__kernel_operand x, y;
} pairing;

/* ---- float32. */

static void pair_float32(void *arg, const crd__kernel_walk *w, size_t n, const ptrdiff_t *at) {
  const pairing *const p = arg;
  const crd__kernel_f32_sides sides = crd__kernel_walk_step(w, RIGHT) == 0  ? CRD__FIRST
                                      : crd__kernel_walk_step(w, LEFT) == 0 ? CRD__SECOND
                                                                            : CRD__BOTH;
  crd__kernel_f32_kernels_best()->binary[p->id][sides](n, (const float *)p->x.data + at[LEFT],
                                                       (const float *)p->y.data + at[RIGHT],
                                                       (float *)(void *)p->z + at[OUT]);
}

static bool fits_float32(const crd__kernel_walk *w, const pairing *p) {
  const ptrdiff_t left = crd__kernel_walk_step(w, LEFT), right = crd__kernel_walk_step(w, RIGHT);
  return p->id < CRD__PAIR_COUNT && p->x.dtype == CRD_F32 && p->y.dtype == CRD_F32 &&
         (w->dims[w->rank - 1] == 1 ||
          ((left == 1 || left == 0) && (right == 1 || right == 0) && left + right > 0));
}

/* ---- Other types. */

static int64_t wrap(uint64_t bits) {
  int64_t value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* x^n by squaring; n >= 0. */
static uint64_t power(uint64_t x, uint64_t n) {
  uint64_t z = 1;
  for (; n; n >>= 1, x *= x)
    if (n & 1) z *= x;
  return z;
}

static int64_t whole_power(int64_t x, int64_t n) {
  if (n >= 0) return wrap(power((uint64_t)x, (uint64_t)n));
  return x == 1 ? 1 : x == -1 ? (n % 2 ? -1 : 1) : 0;
}

/* INT64_MIN / -1 wraps to INT64_MIN. */
static int64_t whole_quotient(int64_t x, int64_t y) {
  return y == 0 ? 0 : y == -1 ? wrap(0 - (uint64_t)x) : x / y;
}

/* The remainder with the sign of the divisor; 0 if that is 0. */
static int64_t whole_modulo(int64_t x, int64_t y) {
  const int64_t rest = y == 0 || y == -1 ? 0 : x % y;
  return rest && (rest < 0) != (y < 0) ? rest + y : rest;
}

static double real_modulo(double x, double y) {
  const double rest = fmod(x, y);
  return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}

typedef void block_pair(size_t n, crd__kernel_block *x, const crd__kernel_block *y);

#define PAIR(name, carrier, member, type, value)                                                   \
  static void name##_##carrier(size_t n, crd__kernel_block *left,                                  \
                               const crd__kernel_block *right) {                                   \
    for (size_t i = 0; i < n; i++) {                                                               \
      const type x = left->member[i], y = right->member[i];                                        \
      left->member[i] = (value);                                                                   \
    }                                                                                              \
  }
#define PAIRS(name, of_reals, of_wholes, of_naturals)                                              \
  PAIR(name, real, real, double, of_reals)                                                         \
  PAIR(name, signed, whole, int64_t, of_wholes)                                                    \
  PAIR(name, unsigned, natural, uint64_t, of_naturals)

PAIRS(add, x + y, wrap((uint64_t)x + (uint64_t)y), x + y)
PAIRS(sub, x - y, wrap((uint64_t)x - (uint64_t)y), x - y)
PAIRS(mul, x *y, wrap((uint64_t)x *(uint64_t)y), x *y)
PAIRS(div, x / y, whole_quotient(x, y), y ? x / y : 0)
PAIRS(max, isnan(x) || x > y ? x : y, x > y ? x : y, x > y ? x : y)
PAIRS(min, isnan(x) || x < y ? x : y, x < y ? x : y, x < y ? x : y)
PAIRS(pow, pow(x, y), whole_power(x, y), power(x, y))
PAIRS(mod, real_modulo(x, y), whole_modulo(x, y), y ? x % y : 0)
PAIRS(fmod, fmod(x, y), y == 0 || y == -1 ? 0 : x % y, y ? x % y : 0)

/* Of integers, also of bool: signed ones as their bits. */
PAIR(bit_and, bits, natural, uint64_t, x &y)
PAIR(bit_or, bits, natural, uint64_t, x | y)
PAIR(bit_xor, bits, natural, uint64_t, x ^ y)
PAIR(shift_left, bits, natural, uint64_t, y < 64 ? x << y : 0)
PAIR(shift_right, bits, natural, uint64_t, y < 64 ? x >> y : 0)

static block_pair *const block_pairs[][3] = {
#define X(id, name) [CRD__PAIR_##id] = { name##_real, name##_signed, name##_unsigned },
  CRD__PAIR_LIST(X) X(MOD, mod) X(FMOD, fmod)
#undef X
#define X(id, name) [CRD__PAIR_##id] = { NULL, name##_bits, name##_bits },
      X(BIT_AND, bit_and) X(BIT_OR, bit_or) X(BIT_XOR, bit_xor) X(SHIFT_LEFT, shift_left)
          X(SHIFT_RIGHT, shift_right)
#undef X
};

void crd__kernel_block_pair(crd__kernel_pair_id id, crd__kernel_carrier carrier, size_t n,
                            crd__kernel_block *x, const crd__kernel_block *y) {
  block_pairs[id][carrier](n, x, y);
}

/* A power is computed in floating point if either operand is, else in the type of the base, but
 * signed if the exponent is. */
static crd_dtype common_type(crd_dtype x, crd_dtype y) {
  const crd__kernel_carrier left = crd__kernel_carrier_of(x), right = crd__kernel_carrier_of(y);
  if (left == right || left == CRD__REAL) return x;
  return right == CRD__REAL ? CRD_F64 : right == CRD__SIGNED ? CRD_I64 : x;
}

static void pair_blocks(void *arg, const crd__kernel_walk *w, size_t count, const ptrdiff_t *at) {
  const pairing *const p = arg;
  const ptrdiff_t left = crd__kernel_walk_step(w, LEFT), right = crd__kernel_walk_step(w, RIGHT);
  const size_t x_size = crd_dtype_size(p->x.dtype), y_size = crd_dtype_size(p->y.dtype);
  const crd_dtype common = common_type(p->x.dtype, p->y.dtype);
  for (size_t k = 0; k < count; k += CRD__BLOCK) {
    const size_t n = count - k < CRD__BLOCK ? count - k : CRD__BLOCK;
    const ptrdiff_t from_x = at[LEFT] + (ptrdiff_t)k * left;
    const ptrdiff_t from_y = at[RIGHT] + (ptrdiff_t)k * right;
    const ptrdiff_t to = at[OUT] + (ptrdiff_t)k * crd__kernel_walk_step(w, OUT);
    crd__kernel_block x, y;
    crd__kernel_block_load(p->x.dtype, n, (const char *)p->x.data + from_x * (ptrdiff_t)x_size,
                           left, &x);
    crd__kernel_block_load(p->y.dtype, n, (const char *)p->y.data + from_y * (ptrdiff_t)y_size,
                           right, &y);
    crd__kernel_block_convert(p->x.dtype, common, n, &x);
    crd__kernel_block_convert(p->y.dtype, common, n, &y);
    block_pairs[p->id][crd__kernel_carrier_of(common)](n, &x, &y);
    crd__kernel_block_convert(common, p->x.dtype, n, &x);
    crd__kernel_block_store(p->x.dtype, n, &x, p->z + to * (ptrdiff_t)x_size,
                            crd__kernel_walk_step(w, OUT));
  }
}

void crd__kernel_binary(unsigned threads, crd__kernel_pair_id id, size_t rank, const int64_t *dims,
                        void *z, crd__kernel_operand x, crd__kernel_operand y) {
  const crd__kernel_walk w =
      crd__kernel_walk_make(3, rank, dims, (const int64_t *const[]){ NULL, x.strides, y.strides });
  pairing p = { .id = (int)id, .z = z, .x = x, .y = y };
  crd__kernel_walk_run(threads, &w, fits_float32(&w, &p) ? pair_float32 : pair_blocks, &p);
}

/* ---- Comparisons. */

#define COMPARE(name, operator)                                                                    \
  PAIR(name, signed, whole, int64_t, x operator y)                                                 \
  PAIR(name, unsigned, natural, uint64_t, x operator y)                                            \
  static void name##_real(size_t n, crd__kernel_block *left, const crd__kernel_block *right) {     \
    for (size_t i = 0; i < n; i++) left->whole[i] = left->real[i] operator right->real[i];         \
  }

COMPARE(equal, ==)
COMPARE(less, <)
COMPARE(less_or_equal, <=)
COMPARE(greater, >)
COMPARE(greater_or_equal, >=)

static block_pair *const comparisons[][3] = {
  [CRD__EQUAL] = { equal_real, equal_signed, equal_unsigned },
  [CRD__LESS] = { less_real, less_signed, less_unsigned },
  [CRD__LESS_OR_EQUAL] = { less_or_equal_real, less_or_equal_signed, less_or_equal_unsigned },
  [CRD__GREATER] = { greater_real, greater_signed, greater_unsigned },
  [CRD__GREATER_OR_EQUAL] = { greater_or_equal_real, greater_or_equal_signed,
                              greater_or_equal_unsigned },
};

static void compare_blocks(void *arg, const crd__kernel_walk *w, size_t count,
                           const ptrdiff_t *at) {
  const pairing *const p = arg;
  const ptrdiff_t left = crd__kernel_walk_step(w, LEFT), right = crd__kernel_walk_step(w, RIGHT);
  const ptrdiff_t size = (ptrdiff_t)crd_dtype_size(p->x.dtype);
  for (size_t k = 0; k < count; k += CRD__BLOCK) {
    const size_t n = count - k < CRD__BLOCK ? count - k : CRD__BLOCK;
    const ptrdiff_t from = (ptrdiff_t)k;
    crd__kernel_block x, y;
    crd__kernel_block_load(p->x.dtype, n, (const char *)p->x.data + (at[LEFT] + from * left) * size,
                           left, &x);
    crd__kernel_block_load(p->x.dtype, n,
                           (const char *)p->y.data + (at[RIGHT] + from * right) * size, right, &y);
    comparisons[p->id][crd__kernel_carrier_of(p->x.dtype)](n, &x, &y);
    crd__kernel_block_store(CRD_BOOL, n, &x, p->z + at[OUT] + from * crd__kernel_walk_step(w, OUT),
                            crd__kernel_walk_step(w, OUT));
  }
}

void crd__kernel_compare(unsigned threads, crd__kernel_compare_id id, size_t rank,
                         const int64_t *dims, void *z, crd__kernel_operand x,
                         crd__kernel_operand y) {
  const crd__kernel_walk w =
      crd__kernel_walk_make(3, rank, dims, (const int64_t *const[]){ NULL, x.strides, y.strides });
  pairing p = { .id = (int)id, .z = z, .x = x, .y = y };
  crd__kernel_walk_run(threads, &w, compare_blocks, &p);
}

/* ---- Selection. */

enum { CHOSEN, CONDITION, YES, NO };

typedef struct {
  size_t size;
  char *z;
  const char *c, *x, *y;
} choosing;

static void choose_row(void *arg, const crd__kernel_walk *w, size_t count, const ptrdiff_t *at) {
  const choosing *const g = arg;
  const ptrdiff_t size = (ptrdiff_t)g->size;
  for (ptrdiff_t i = 0; i < (ptrdiff_t)count; i++) {
    const bool yes = g->c[at[CONDITION] + i * crd__kernel_walk_step(w, CONDITION)] != 0;
    const size_t side = yes ? YES : NO;
    memcpy(g->z + (at[CHOSEN] + i * crd__kernel_walk_step(w, CHOSEN)) * size,
           (yes ? g->x : g->y) + (at[side] + i * crd__kernel_walk_step(w, side)) * size, g->size);
  }
}

void crd__kernel_where(unsigned threads, size_t size, size_t rank, const int64_t *dims, void *z,
                       crd__kernel_operand c, crd__kernel_operand x, crd__kernel_operand y) {
  const crd__kernel_walk w = crd__kernel_walk_make(
      4, rank, dims, (const int64_t *const[]){ NULL, c.strides, x.strides, y.strides });
  choosing g = { .size = size, .z = z, .c = c.data, .x = x.data, .y = y.data };
  crd__kernel_walk_run(threads, &w, choose_row, &g);
}

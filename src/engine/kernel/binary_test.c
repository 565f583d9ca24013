/* binary_test.c -- broadcasting against plain loops over indices; types and their limits. */
#include "engine/kernel/binary.h"

#include "support.h"

#include "base/random.h"
#include "engine/kernel/walk.h"

#include <math.h>
#include <string.h>

enum { MOST = 1 << 17 };

static double plain(crd__kernel_pair_id id, double x, double y) {
  switch (id) {
  case CRD__PAIR_ADD:
    return x + y;
  case CRD__PAIR_SUB:
    return x - y;
  case CRD__PAIR_MUL:
    return x * y;
  case CRD__PAIR_DIV:
    return x / y;
  case CRD__PAIR_MAX:
    return x > y ? x : y;
  case CRD__PAIR_MIN:
    return x < y ? x : y;
  case CRD__PAIR_POW:
    return pow(x, y);
  default: /* without a float32 kernel */
    break;
  }
  return NAN;
}

/* Return the index in an array that is broadcast to the shape, for element `flat` of the shape. */
static size_t place(size_t flat, size_t rank, const int64_t *dims, size_t own_rank,
                    const int64_t *own) {
  size_t at = 0, step = 1;
  for (size_t d = rank; d-- > 0; flat /= (size_t)dims[d]) {
    const size_t index = flat % (size_t)dims[d];
    if (d < rank - own_rank) continue;
    const int64_t length = own[d - (rank - own_rank)];
    if (length > 1) at += index * step;
    step *= (size_t)length;
  }
  return at;
}

static const struct {
  size_t rank, x_rank, y_rank;
  int64_t dims[4], x[4], y[4];
} shapes[] = {
  { 1, 1, 1, { 7 }, { 7 }, { 7 } },
  { 1, 1, 0, { 700 }, { 700 }, { 0 } },
  { 1, 0, 1, { 700 }, { 0 }, { 700 } },
  { 0, 0, 0, { 0 }, { 0 }, { 0 } },
  { 2, 2, 1, { 200, 301 }, { 200, 301 }, { 301 } },
  { 4, 4, 4, { 2, 30, 9, 11 }, { 2, 30, 9, 11 }, { 1, 30, 1, 1 } },
  { 4, 3, 4, { 2, 30, 9, 11 }, { 30, 1, 1 }, { 2, 30, 9, 11 } },
  { 3, 3, 3, { 5, 6, 7 }, { 5, 1, 7 }, { 1, 6, 1 } },
  { 4, 4, 2, { 3, 4, 5, 6 }, { 3, 1, 5, 1 }, { 1, 6 } },
  { 3, 3, 1, { 4, 0, 5 }, { 4, 0, 5 }, { 5 } },
};

static float x[MOST], y[MOST], z[MOST], again[MOST];

static void every_shape(void **state) {
  (void)state;
  for (size_t i = 0; i < MOST; i++) {
    x[i] = (float)crd__random_uniform(1, 0, i) * 3 + 0.1F;
    y[i] = (float)crd__random_uniform(1, 1, i) * 3 - 1;
  }
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
    for (int id = 0; id < CRD__PAIR_COUNT; id++) {
      int64_t xs[CRD_RANK_MAX], ys[CRD_RANK_MAX];
      size_t total = 1;
      for (size_t d = 0; d < shapes[s].rank; d++) total *= (size_t)shapes[s].dims[d];
      crd__kernel_strides_broadcast(shapes[s].x_rank, shapes[s].x, shapes[s].rank, xs);
      crd__kernel_strides_broadcast(shapes[s].y_rank, shapes[s].y, shapes[s].rank, ys);
      const crd__kernel_operand left = { x, CRD_F32, xs }, right = { y, CRD_F32, ys };
      crd__kernel_binary(1, (crd__kernel_pair_id)id, shapes[s].rank, shapes[s].dims, z, left,
                         right);
      crd__kernel_binary(2, (crd__kernel_pair_id)id, shapes[s].rank, shapes[s].dims, again, left,
                         right);
      assert_memory_equal(z, again, total * sizeof *z);
      for (size_t i = 0; i < total; i++) {
        const size_t a = place(i, shapes[s].rank, shapes[s].dims, shapes[s].x_rank, shapes[s].x);
        const size_t b = place(i, shapes[s].rank, shapes[s].dims, shapes[s].y_rank, shapes[s].y);
        const double right_value = plain((crd__kernel_pair_id)id, (double)x[a], (double)y[b]);
        assert_true(fabs((double)z[i] - right_value) <= 1.2e-7 * fabs(right_value));
      }
    }
}

#define INTEGERS(id, op, type, a, b, want)                                                         \
  do {                                                                                             \
    const type p = (a), q = (b), right = (want);                                                   \
    type found;                                                                                    \
    crd__kernel_binary(1, CRD__PAIR_##op, 0, NULL, &found,                                         \
                       (crd__kernel_operand){ &p, CRD_##id, NULL },                                \
                       (crd__kernel_operand){ &q, CRD_##id, NULL });                               \
    assert_memory_equal(&found, &right, sizeof found);                                             \
  } while (0)

static void integers_never_trap(void **state) {
  (void)state;
  INTEGERS(I32, DIV, int32_t, -7, 2, -3);
  INTEGERS(I32, DIV, int32_t, 7, 0, 0);
  INTEGERS(U8, DIV, uint8_t, 7, 0, 0);
  INTEGERS(I64, DIV, int64_t, INT64_MIN, -1, INT64_MIN);
  INTEGERS(I32, DIV, int32_t, INT32_MIN, -1, INT32_MIN);
  INTEGERS(I64, ADD, int64_t, INT64_MAX, 1, INT64_MIN);
  INTEGERS(U8, MUL, uint8_t, 200, 2, 144);
  INTEGERS(I64, MUL, int64_t, INT64_MAX, 3, INT64_MAX - 2);
  INTEGERS(U64, MAX, uint64_t, UINT64_MAX, 1, UINT64_MAX);
  INTEGERS(I64, POW, int64_t, -3, 5, -243);
  INTEGERS(I64, POW, int64_t, 2, -1, 0);
  INTEGERS(I64, POW, int64_t, -1, -3, -1);
  INTEGERS(I64, POW, int64_t, 0, 0, 1);
  INTEGERS(I64, MOD, int64_t, -7, 3, 2);
  INTEGERS(I64, MOD, int64_t, 7, -3, -2);
  INTEGERS(I64, MOD, int64_t, -6, 3, 0);
  INTEGERS(I64, FMOD, int64_t, -7, 3, -1);
  INTEGERS(I64, MOD, int64_t, INT64_MIN, -1, 0);
  INTEGERS(I64, FMOD, int64_t, INT64_MIN, -1, 0);
  INTEGERS(U8, MOD, uint8_t, 7, 0, 0);
  INTEGERS(I32, FMOD, int32_t, 7, 0, 0);
  INTEGERS(I8, BIT_AND, int8_t, -4, 6, 4);
  INTEGERS(U8, BIT_OR, uint8_t, 200, 3, 203);
  INTEGERS(I64, BIT_XOR, int64_t, -1, 5, -6);
  INTEGERS(U8, SHIFT_LEFT, uint8_t, 200, 1, 144);
  INTEGERS(U64, SHIFT_LEFT, uint64_t, 1, 64, 0);
  INTEGERS(U32, SHIFT_RIGHT, uint32_t, UINT32_MAX, 31, 1);
  INTEGERS(U32, SHIFT_RIGHT, uint32_t, UINT32_MAX, 32, 0);
}

static void remainders_have_a_sign(void **state) {
  (void)state;
  const float a[] = { 7.5F, -7.5F, 7.5F, -7.5F, 6 }, b[] = { 2, 2, -2, -2, 3 };
  const float floored[] = { 1.5F, 0.5F, -0.5F, -1.5F, 0 };
  const float truncated[] = { 1.5F, -1.5F, 1.5F, -1.5F, 0 };
  const int64_t dims[] = { 5 };
  float found[5];
  crd__kernel_binary(1, CRD__PAIR_MOD, 1, dims, found, (crd__kernel_operand){ a, CRD_F32, NULL },
                     (crd__kernel_operand){ b, CRD_F32, NULL });
  assert_memory_equal(found, floored, sizeof found);
  crd__kernel_binary(1, CRD__PAIR_FMOD, 1, dims, found, (crd__kernel_operand){ a, CRD_F32, NULL },
                     (crd__kernel_operand){ b, CRD_F32, NULL });
  assert_memory_equal(found, truncated, sizeof found);
}

static void powers_of_mixed_types(void **state) {
  (void)state;
  const int64_t bases[] = { 2, 3, -2 };
  const float exponents[] = { 2.5F, 0.5F, 3 };
  int64_t found[3];
  const int64_t dims[] = { 3 };
  crd__kernel_binary(1, CRD__PAIR_POW, 1, dims, found,
                     (crd__kernel_operand){ bases, CRD_I64, NULL },
                     (crd__kernel_operand){ exponents, CRD_F32, NULL });
  assert_true(found[0] == 5 && found[1] == 1 && found[2] == -8);
  const int32_t whole[] = { 2, 3, -1 };
  float reals[3];
  crd__kernel_binary(1, CRD__PAIR_POW, 1, dims, reals,
                     (crd__kernel_operand){ exponents, CRD_F32, NULL },
                     (crd__kernel_operand){ whole, CRD_I32, NULL });
  assert_true(reals[0] == 6.25F && reals[1] == 0.125F && fabsf(reals[2] - 1.0F / 3) < 1e-7F);
}

static void a_nan_is_extreme(void **state) {
  (void)state;
  const float a[] = { NAN, 1, 2 }, b[] = { 1, NAN, 3 };
  const int64_t dims[] = { 3 };
  float found[3];
  for (int id = CRD__PAIR_MAX; id <= CRD__PAIR_MIN; id++) {
    crd__kernel_binary(1, (crd__kernel_pair_id)id, 1, dims, found,
                       (crd__kernel_operand){ a, CRD_F32, NULL },
                       (crd__kernel_operand){ b, CRD_F32, NULL });
    assert_true(isnan(found[0]) && isnan(found[1]));
    assert_true(found[2] == (id == CRD__PAIR_MAX ? 3 : 2));
  }
}

static void comparisons(void **state) {
  (void)state;
  const double a[] = { 1, 2, NAN, 3 }, b[] = { 2 };
  const int64_t dims[] = { 4 }, none[] = { 0 };
  const bool want[][4] = {
    { 0, 1, 0, 0 }, { 1, 0, 0, 0 }, { 1, 1, 0, 0 }, { 0, 0, 0, 1 }, { 0, 1, 0, 1 }
  };
  for (int id = CRD__EQUAL; id <= CRD__GREATER_OR_EQUAL; id++) {
    bool found[4];
    crd__kernel_compare(1, (crd__kernel_compare_id)id, 1, dims, found,
                        (crd__kernel_operand){ a, CRD_F64, NULL },
                        (crd__kernel_operand){ b, CRD_F64, none });
    assert_memory_equal(found, want[id], 4);
  }
  const uint64_t large = UINT64_MAX, one = 1;
  bool less;
  crd__kernel_compare(1, CRD__LESS, 0, NULL, &less, (crd__kernel_operand){ &large, CRD_U64, NULL },
                      (crd__kernel_operand){ &one, CRD_U64, NULL });
  assert_false(less);
}

static void choices(void **state) {
  (void)state;
  const unsigned char c[] = { 1, 0, 2 };
  const int16_t yes[] = { 10, 20 }, no = 7;
  const int64_t dims[] = { 2, 3 }, across[] = { 0, 1 }, down[] = { 1, 0 }, none[] = { 0, 0 };
  int16_t found[6];
  const int16_t want[] = { 10, 7, 10, 20, 7, 20 };
  crd__kernel_where(1, 2, 2, dims, found, (crd__kernel_operand){ c, CRD_BOOL, across },
                    (crd__kernel_operand){ yes, CRD_I16, down },
                    (crd__kernel_operand){ &no, CRD_I16, none });
  assert_memory_equal(found, want, sizeof want);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_shape),
    cmocka_unit_test(integers_never_trap),
    cmocka_unit_test(a_nan_is_extreme),
    cmocka_unit_test(powers_of_mixed_types),
    cmocka_unit_test(comparisons),
    cmocka_unit_test(choices),
    cmocka_unit_test(remainders_have_a_sign),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* element_test.c -- casts between all types: values in range are preserved, others are defined. */
#include "engine/kernel/element.h"

#include "support.h"

#include "math/half.h"

#include <math.h>
#include <string.h>

static size_t type_count(void) {
#define X(id, name, bytes, letter) +1
  return CRD_DTYPE_LIST(X);
#undef X
}

/* Small values survive every round trip. */
static void small_numbers_stay(void **state) {
  (void)state;
  const int64_t small[] = { 0, 1, 2, 100, 127 };
  for (size_t from = 0; from < type_count(); from++)
    for (size_t to = 0; to < type_count(); to++) {
      int64_t back[5], first[5], second[5];
      crd__kernel_cast(1, CRD_I64, (crd_dtype)from, 5, small, first);
      crd__kernel_cast(1, (crd_dtype)from, (crd_dtype)to, 5, first, second);
      crd__kernel_cast(1, (crd_dtype)to, CRD_I64, 5, second, back);
      const bool truth = from == CRD_BOOL || to == CRD_BOOL;
      for (size_t i = 0; i < 5; i++) assert_int_equal(back[i], truth ? small[i] != 0 : small[i]);
    }
}

#define CASE(from_id, from_type, to_id, to_type, x, want)                                          \
  do {                                                                                             \
    const from_type value = (x);                                                                   \
    to_type found;                                                                                 \
    const to_type wanted = (want);                                                                 \
    crd__kernel_cast(1, CRD_##from_id, CRD_##to_id, 1, &value, &found);                            \
    assert_memory_equal(&found, &wanted, sizeof found);                                            \
  } while (0)

static void the_edges_are_defined(void **state) {
  (void)state;
  CASE(F32, float, I32, int32_t, 2.9F, 2);
  CASE(F32, float, I32, int32_t, -2.9F, -2);
  CASE(F32, float, I32, int32_t, NAN, 0);
  CASE(F32, float, I32, int32_t, INFINITY, INT32_MAX);
  CASE(F32, float, I32, int32_t, -3e9F, INT32_MIN);
  CASE(F32, float, I64, int64_t, 0x1p63F, INT64_MAX);
  CASE(F32, float, I64, int64_t, -0x1p63F, INT64_MIN);
  CASE(F64, double, I64, int64_t, 0x1.fffffffffffffp62, 0x7ffffffffffffc00);
  CASE(F64, double, U64, uint64_t, 0x1p64, UINT64_MAX);
  CASE(F64, double, U64, uint64_t, -1, 0);
  CASE(F64, double, U64, uint64_t, 0x1.fffffffffffffp63, 0xfffffffffffff800);
  CASE(F64, double, U8, uint8_t, 255.9, 255);
  CASE(F64, double, U8, uint8_t, 256, 255);
  CASE(F64, double, I8, int8_t, -128.9, -128);
  CASE(F64, double, I8, int8_t, 1e300, 127);
  CASE(I64, int64_t, I8, int8_t, 0x1ff, -1);
  CASE(I64, int64_t, U64, uint64_t, -1, UINT64_MAX);
  CASE(U64, uint64_t, F64, double, UINT64_MAX, 0x1p64);
  CASE(I64, int64_t, F32, float, (INT64_C(1) << 60) + (INT64_C(1) << 36) + 1, 0x1.000002p60F);
  CASE(U64, uint64_t, F32, float, (UINT64_C(1) << 60) + (UINT64_C(1) << 36) + 1, 0x1.000002p60F);
  CASE(I64, int64_t, F64, double, INT64_MIN, -0x1p63);
  CASE(F64, double, F16, uint16_t, 1 + 0x1p-11, 0x3c00);
  CASE(F64, double, F16, uint16_t, 1 + 0x1p-11 + 0x1p-40, 0x3c01);
  CASE(F64, double, F16, uint16_t, 70000, 0x7c00);
  CASE(F32, float, BOOL, bool, 0.25F, true);
  CASE(F32, float, BOOL, bool, NAN, true);
  CASE(F32, float, BOOL, bool, -0.0F, false);
  CASE(U32, uint32_t, BOOL, bool, 256, true);
  CASE(BOOL, bool, F16, uint16_t, true, 0x3c00);
}

static void threads_do_not_matter(void **state) {
  (void)state;
  enum { MANY = 100003 };
  static float x[MANY];
  static uint16_t y[2][MANY];
  for (size_t i = 0; i < MANY; i++) x[i] = (float)i / 7 - 9999;
  for (unsigned t = 0; t < 2; t++) crd__kernel_cast(1 + t, CRD_F32, CRD_F16, MANY, x, y[t]);
  assert_memory_equal(y[0], y[1], sizeof *y);
  for (size_t i = 0; i < MANY; i++)
    assert_int_equal(y[0][i], crd__math_half_from_double((double)x[i]));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(small_numbers_stay),
    cmocka_unit_test(the_edges_are_defined),
    cmocka_unit_test(threads_do_not_matter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* unary_test.c -- types other than float32; threads. f32_test.c tests the functions themselves. */
#include "engine/kernel/unary.h"

#include "support.h"

#include "engine/kernel/element.h"
#include "math/half.h"

#include <math.h>

enum { MANY = 40001 };

/* float16 and float64 take other code paths than float32, and must give the same values. */
static void reals_agree(void **state) {
  (void)state;
  static float x[MANY], y[MANY], again[MANY], widened[MANY];
  static double wide[MANY];
  static uint16_t half[MANY];
  for (size_t i = 0; i < MANY; i++) x[i] = ((float)i - MANY / 2) / 2048;
  for (int id = 0; id < CRD__UNARY_COUNT; id++) {
    const double a = id == CRD__UNARY_CELU ? 0.5 : -0.5; /* it is defined for a > 0 */
    for (unsigned threads = 1; threads <= 2; threads++)
      crd__kernel_unary(threads, (crd__kernel_unary_id)id, a, 0.75, CRD_F32, MANY, x,
                        threads == 1 ? y : again);
    assert_memory_equal(y, again, sizeof y);
    crd__kernel_cast(1, CRD_F32, CRD_F64, MANY, x, wide);
    crd__kernel_unary(2, (crd__kernel_unary_id)id, a, 0.75, CRD_F64, MANY, wide, wide);
    for (size_t i = 0; i < MANY; i++)
      assert_true(isnan(y[i]) ? isnan(wide[i])
                              : (double)y[i] == wide[i] ||
                                    fabs((double)y[i] - wide[i]) <= 4e-7 * (1 + fabs(wide[i])));
    crd__kernel_cast(1, CRD_F32, CRD_F16, MANY, x, half);
    crd__kernel_cast(1, CRD_F16, CRD_F32, MANY, half, widened);
    crd__kernel_unary(1, (crd__kernel_unary_id)id, a, 0.75, CRD_F16, MANY, half, half);
    crd__kernel_unary(1, (crd__kernel_unary_id)id, a, 0.75, CRD_F32, MANY, widened, again);
    for (size_t i = 0; i < MANY; i++) {
      const double h = crd__math_half_to_double(half[i]), s = (double)again[i];
      assert_true(isnan(s) ? isnan(h) : h == s || fabs(h - s) <= 0x1p-11 * fabs(s) + 0x1p-24);
    }
  }
}

static void integers(void **state) {
  (void)state;
  int8_t a[] = { -128, -3, 0, 4, 127 };
  uint64_t b[] = { 0, 5, UINT64_MAX };
  int64_t c[] = { INT64_MIN, -7, 7, INT64_MAX };
  const int8_t negated[] = { -128, 3, 0, -4, -127 };
  const uint64_t clipped[] = { 2, 5, UINT64_MAX };
  const int64_t rectified[] = { 0, 0, 7, INT64_MAX };
  int16_t d[] = { -300, 0, 300, INT16_MIN }, e[] = { -300, 0, 300, INT16_MIN };
  const int16_t sizes[] = { 300, 0, 300, INT16_MIN }, signs[] = { -1, 0, 1, -1 };
  uint8_t f[] = { 0, 1, 200 }, g[] = { 0, 1, 200 };
  const uint8_t same[] = { 0, 1, 200 }, positive[] = { 0, 1, 1 };
  crd__kernel_unary(1, CRD__UNARY_NEG, 0, 0, CRD_I8, 5, a, a);
  assert_memory_equal(a, negated, sizeof a);
  crd__kernel_unary(1, CRD__UNARY_CLIP, 2, INFINITY, CRD_U64, 3, b, b);
  assert_memory_equal(b, clipped, sizeof b);
  crd__kernel_unary(1, CRD__UNARY_RELU, 0, 0, CRD_I64, 4, c, c);
  assert_memory_equal(c, rectified, sizeof c);
  crd__kernel_unary(1, CRD__UNARY_ABS, 0, 0, CRD_I16, 4, d, d);
  assert_memory_equal(d, sizes, sizeof d);
  crd__kernel_unary(1, CRD__UNARY_SIGN, 0, 0, CRD_I16, 4, e, e);
  assert_memory_equal(e, signs, sizeof e);
  crd__kernel_unary(1, CRD__UNARY_ABS, 0, 0, CRD_U8, 3, f, f);
  assert_memory_equal(f, same, sizeof f);
  crd__kernel_unary(1, CRD__UNARY_SIGN, 0, 0, CRD_U8, 3, g, g);
  assert_memory_equal(g, positive, sizeof g);
  assert_true(crd__kernel_unary_takes(CRD__UNARY_CLIP, CRD_I8));
  assert_false(crd__kernel_unary_takes(CRD__UNARY_ERF, CRD_I8));
  assert_false(crd__kernel_unary_takes(CRD__UNARY_NEG, CRD_BOOL));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(reals_agree),
    cmocka_unit_test(integers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* half_test.c -- all 65536 float16 values. */
#include "math/half.h"

#include <math.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static double naive(unsigned half) {
  const int exponent = (int)(half >> 10 & 31), fraction = (int)(half & 1023);
  const double sign = half >> 15 ? -1 : 1;
  if (exponent == 31) return fraction ? NAN : sign * INFINITY;
  if (exponent == 0) return sign * ldexp(fraction, -24);
  return sign * ldexp(1024 + fraction, exponent - 25);
}

static void every_half(void **unused) {
  (void)unused;
  for (unsigned half = 0; half < 65536; half++) {
    const double value = crd__math_half_to_double((uint16_t)half), expected = naive(half);
    if (isnan(expected)) {
      assert_true(isnan(value) &&
                  isnan(crd__math_half_to_double(crd__math_half_from_double(value))));
      continue;
    }
    assert_true(value == expected && !signbit(value) == !signbit(expected));
    assert_int_equal(crd__math_half_from_double(value), half);
  }
}

/* Values between two neighbours are rounded to the nearest, ties to even. */
static void rounding(void **unused) {
  (void)unused;
  for (unsigned half = 0; half < 0x7c00; half++) {
    const double low = naive(half), high = half == 0x7bff ? 65536 : naive(half + 1);
    const double middle = (low + high) / 2;
    assert_int_equal(crd__math_half_from_double(nextafter(middle, 0)), half);
    assert_int_equal(crd__math_half_from_double(nextafter(middle, 1e9)), half + 1);
    assert_int_equal(crd__math_half_from_double(-middle), 0x8000 | (half + (half & 1)));
  }
  assert_int_equal(crd__math_half_from_double(1e300), 0x7c00);
  assert_int_equal(crd__math_half_from_double(-5e-324), 0x8000);
}

static double bfloat(unsigned half) { return crd__math_bfloat_to_double((uint16_t)half); }

/* The same for bfloat16: every value survives, and rounding is to the nearest, ties to even. */
static void every_bfloat(void **unused) {
  (void)unused;
  assert_true(bfloat(0x3f80) == 1 && bfloat(0xc040) == -3 && bfloat(0x0001) == 0x1p-133);
  assert_true(isinf(bfloat(0x7f80)) && isnan(bfloat(0x7fc0)));
  for (unsigned half = 0; half < 0x7f80; half++) {
    const double low = bfloat(half), high = half == 0x7f7f ? 0x1p128 : bfloat(half + 1);
    const double middle = (low + high) / 2;
    assert_int_equal(crd__math_bfloat_from_double(low), half);
    assert_int_equal(crd__math_bfloat_from_double(-low), 0x8000 | half);
    assert_int_equal(crd__math_bfloat_from_double(nextafter(middle, 0)), half);
    assert_int_equal(crd__math_bfloat_from_double(nextafter(middle, 1e99)), half + 1);
    assert_int_equal(crd__math_bfloat_from_double(-middle), 0x8000 | (half + (half & 1)));
  }
  assert_int_equal(crd__math_bfloat_from_double(1e300), 0x7f80);
  assert_int_equal(crd__math_bfloat_from_double((double)INFINITY), 0x7f80);
  assert_true(isnan(bfloat(crd__math_bfloat_from_double((double)NAN))));
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(every_half), cmocka_unit_test(rounding),
                                      cmocka_unit_test(every_bfloat) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

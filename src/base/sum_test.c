/* sum_test.c -- exact sums: carries, truncated terms, any order, limits. */
#include "base/random.h"
#include "base/sum.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

static void carries(void **state) {
  (void)state;
  crd__sum sum = { 0 };
  for (int i = 0; i < 4; i++) crd__sum_add(&sum, 0.75);
  assert_int_equal(sum.whole, 3);
  assert_int_equal(sum.fraction, 0);
  crd__sum_add(&sum, CRD__TERM_MAX);
  assert_true(crd__sum_value(sum) == CRD__TERM_MAX + 3);
  crd__sum tiny = { 0 };
  crd__sum_add(&tiny, 0x1p-64);
  assert_int_equal(tiny.fraction, 1);
}

/* Splits a term into integer and fraction, truncated to a multiple of 2^-64. */
static void terms_are_cut(void **state) {
  (void)state;
  for (uint64_t i = 0; i < 10000; i++) {
    const double edges[] = { 0.5, nextafter(0.5, 0), 1, nextafter(1, 0), 0, 0x1p-65 };
    const double term = i < 6 ? edges[i] : ldexp(crd__random_uniform(1, 2, i), (int)(i % 110) - 70);
    crd__sum sum = { 0 }, small = { 0 };
    crd__sum_add(&sum, term);
    crd__sum_add_small(&small, term);
    assert_memory_equal(&sum, &small, sizeof sum);
    double expected = floor(term), rest = term - expected;
    assert_true((double)sum.whole == expected);
    for (int bit = 63; bit >= 0; bit--) { /* bit by bit */
      rest *= 2;
      assert_int_equal(sum.fraction >> bit & 1, rest >= 1);
      rest -= rest >= 1;
    }
  }
}

static void order_does_not_matter(void **state) {
  (void)state;
  enum { N = 10000 };
  crd__sum forwards = { 0 }, backwards = { 0 }, parts[7] = { { 0 } }, merged = { 0 };
  long double exact = 0;
  for (uint64_t i = 0; i < N; i++) {
    const double term = ldexp(crd__random_uniform(1, 1, i), (int)(i % 60) - 30);
    crd__sum_add(&forwards, term);
    crd__sum_add(&parts[i % 7], term);
    crd__sum_add(&backwards,
                 ldexp(crd__random_uniform(1, 1, N - 1 - i), (int)((N - 1 - i) % 60) - 30));
    exact += term;
  }
  for (int p = 6; p >= 0; p--) crd__sum_merge(&merged, parts[p]);
  assert_memory_equal(&forwards, &backwards, sizeof forwards);
  assert_memory_equal(&forwards, &merged, sizeof forwards);
  assert_true(fabsl(crd__sum_value(forwards) - exact) <= 1e-15L * exact);
}

static void distance_is_symmetric_and_exact(void **state) {
  (void)state;
  const crd__sum a = { 5, 1 }, b = { 3, UINT64_MAX };
  assert_true(crd__sum_distance(a, b) == crd__sum_distance(b, a));
  assert_true(crd__sum_distance(a, b) == 1 + 0x1p-63); /* 2 + 2^-64 - (1 - 2^-64) */
  assert_true(crd__sum_distance(a, a) == 0);
}

static void terms_have_limits(void **state) {
  (void)state;
  assert_true(crd__term_fits(0) && crd__term_fits(CRD__TERM_MAX));
  assert_false(crd__term_fits(-1e-300) || crd__term_fits(nextafter(CRD__TERM_MAX, INFINITY)));
  assert_false(crd__term_fits((double)NAN) || crd__term_fits((double)INFINITY));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(carries),
    cmocka_unit_test(terms_are_cut),
    cmocka_unit_test(order_does_not_matter),
    cmocka_unit_test(distance_is_symmetric_and_exact),
    cmocka_unit_test(terms_have_limits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

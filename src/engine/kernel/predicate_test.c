/* predicate_test.c -- every function, types, threads. */
#include "engine/kernel/predicate.h"

#include "support.h"

#include <math.h>

enum { MANY = 40001 };

static void infinities_and_nan(void **state) {
  (void)state;
  static const double a[] = { NAN, INFINITY, -INFINITY, 0, 1e300 };
  static const struct {
    crd__kernel_predicate_id id;
    bool want[5];
  } cases[] = {
    { CRD__IS_NAN, { 1, 0, 0, 0, 0 } },     { CRD__IS_INFINITE, { 0, 1, 1, 0, 0 } },
    { CRD__IS_TOP, { 0, 1, 0, 0, 0 } },     { CRD__IS_BOTTOM, { 0, 0, 1, 0, 0 } },
    { CRD__IS_NOTHING, { 0, 0, 0, 0, 0 } },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    bool found[5];
    crd__kernel_predicate(1, cases[i].id, CRD_F64, 5, a, found);
    assert_memory_equal(found, cases[i].want, sizeof found);
  }
}

static void bits_are_inverted(void **state) {
  (void)state;
  int16_t a[] = { 0, -1, 300 };
  const int16_t inverted[] = { -1, 0, -301 };
  bool b[] = { 0, 1, 1 };
  const bool negated[] = { 1, 0, 0 };
  crd__kernel_predicate(1, CRD__COMPLEMENT, CRD_I16, 3, a, a);
  assert_memory_equal(a, inverted, sizeof a);
  crd__kernel_predicate(1, CRD__NOT, CRD_BOOL, 3, b, b);
  assert_memory_equal(b, negated, sizeof b);
}

static void threads_agree(void **state) {
  (void)state;
  static float x[MANY];
  static bool y[2][MANY];
  for (size_t i = 0; i < MANY; i++) x[i] = i % 3 ? (float)i : NAN;
  for (unsigned t = 0; t < 2; t++)
    crd__kernel_predicate(t + 1, CRD__IS_NAN, CRD_F32, MANY, x, y[t]);
  for (size_t i = 0; i < MANY; i++) assert_true(y[0][i] == (i % 3 == 0) && y[1][i] == y[0][i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(infinities_and_nan),
    cmocka_unit_test(bits_are_inverted),
    cmocka_unit_test(threads_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

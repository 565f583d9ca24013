/* hardmax_test.c -- against plain loops; ties, NaN, types. */
#include "engine/kernel/hardmax.h"

#include "support.h"

#include "base/random.h"
#include "engine/kernel/element.h"

#include <math.h>

enum { OUTER = 40, N = 300, INNER = 3, ALL = OUTER * N * INNER };

static double x[ALL], y[2][ALL], wide[ALL];

static void the_first_maximum_is_chosen(void **state) {
  (void)state;
  static const crd_dtype reals[] = { CRD_F16, CRD_F32, CRD_F64 };
  for (size_t i = 0; i < ALL; i++) wide[i] = (double)(crd__random_bits(1, 0, i) % 100);
  for (size_t t = 0; t < 3; t++) {
    crd__kernel_cast(1, CRD_F64, reals[t], ALL, wide, x);
    for (unsigned k = 0; k < 2; k++) crd__kernel_hardmax(k + 1, reals[t], OUTER, N, INNER, x, y[k]);
    assert_memory_equal(y[0], y[1], ALL * crd_dtype_size(reals[t]));
    crd__kernel_cast(1, reals[t], CRD_F64, ALL, y[0], y[1]);
    for (size_t c = 0; c < OUTER * INNER; c++) {
      const size_t first = c / INNER * N * INNER + c % INNER;
      size_t best = first;
      for (size_t i = 0; i < N; i++)
        if (wide[first + i * INNER] > wide[best]) best = first + i * INNER;
      for (size_t i = 0; i < N; i++)
        assert_true(y[1][first + i * INNER] == (first + i * INNER == best));
    }
  }
}

static void a_nan_is_a_maximum(void **state) {
  (void)state;
  float a[] = { 1, NAN, 3, NAN };
  const float want[] = { 0, 1, 0, 0 };
  crd__kernel_hardmax(1, CRD_F32, 1, 4, 1, a, a);
  assert_memory_equal(a, want, sizeof a);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(the_first_maximum_is_chosen),
                                      cmocka_unit_test(a_nan_is_a_maximum) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

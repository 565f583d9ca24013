/* bins_test.c -- edges and their neighbours; array_split by counting. */
#include "math/bins.h"

#include <math.h>
#include <stdint.h>

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void edges_belong_below(void **unused) {
  (void)unused;
  for (size_t bins = 1; bins <= 1000; bins++)
    for (size_t m = 1; m <= bins; m++) {
      const double edge = (double)m / (double)bins;
      assert_int_equal(crd__math_bin_index(edge, bins), m - 1);
      assert_int_equal(crd__math_bin_index(nextafter(edge, 0), bins), m - 1);
      assert_int_equal(crd__math_bin_index(nextafter(edge, 2), bins), m < bins ? m : m - 1);
    }
}

static void outside(void **unused) {
  (void)unused;
  assert_int_equal(crd__math_bin_index(0, 15), 0);
  assert_int_equal(crd__math_bin_index(-1, 15), 0);
  assert_int_equal(crd__math_bin_index(5e-324, 15), 0);
  assert_int_equal(crd__math_bin_index(1.5, 15), 14);
  assert_int_equal(crd__math_bin_index(INFINITY, 15), 14);
}

static void ranks_split_like_arrays(void **unused) {
  (void)unused;
  for (size_t count = 1; count <= 60; count++)
    for (size_t bins = 1; bins <= 70; bins++) {
      const size_t used = bins < count ? bins : count;
      size_t rank = 0;
      for (size_t bin = 0; bin < used; bin++)
        for (size_t n = count / used + (bin < count % used); n; n--, rank++) {
          assert_int_equal(crd__math_rank_bin((double)rank, count, bins), bin);
          assert_int_equal(crd__math_rank_bin((double)rank * (1 - 1e-15), count, bins), bin);
          assert_int_equal(crd__math_rank_bin((double)rank + 0.9, count, bins), bin);
        }
      assert_int_equal(rank, count);
      assert_int_equal(crd__math_rank_bin((double)count, count, bins), used - 1);
      assert_int_equal(crd__math_rank_bin(1e300, count, bins), used - 1);
      assert_int_equal(crd__math_rank_bin(-1, count, bins), 0);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(edges_belong_below),
                                      cmocka_unit_test(outside),
                                      cmocka_unit_test(ranks_split_like_arrays) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

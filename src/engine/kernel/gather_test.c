/* gather_test.c -- slices by index, from either end, and indices out of range. */
#include "engine/kernel/gather.h"

#include "support.h"

#include <string.h>

static void rows_by_number(void **state) {
  (void)state;
  const int16_t x[2][3][2] = { { { 1, 2 }, { 3, 4 }, { 5, 6 } },
                               { { 7, 8 }, { 9, 10 }, { 11, 12 } } };
  const int16_t want[2][4][2] = { { { 5, 6 }, { 1, 2 }, { 5, 6 }, { 1, 2 } },
                                  { { 11, 12 }, { 7, 8 }, { 11, 12 }, { 7, 8 } } };
  const int32_t narrow[] = { 2, 0, -1, -3 };
  const int64_t wide[] = { 2, 0, -1, -3 };
  for (int type = 0; type < 2; type++) {
    int16_t y[2][4][2];
    int64_t bad;
    const crd__kernel_gather g = { .size = 2,
                                   .outer = 2,
                                   .length = 3,
                                   .inner = 2,
                                   .index_type = type ? CRD_I64 : CRD_I32,
                                   .index = type ? (const void *)wide : narrow,
                                   .count = 4 };
    assert_true(crd__kernel_gather_run(2, &g, x, y, &bad));
    assert_memory_equal(y, want, sizeof want);
  }
}

static void out_of_bounds(void **state) {
  (void)state;
  const int64_t numbers[][2] = { { 0, 3 }, { 2, -4 }, { INT64_MAX, 0 }, { INT64_MIN, 9 } };
  const int64_t first[] = { 3, -4, INT64_MAX, INT64_MIN };
  const float x[3] = { 0 };
  for (size_t i = 0; i < 4; i++) {
    float y[2];
    int64_t bad = 0;
    const crd__kernel_gather g = { 4, 1, 3, 1, CRD_I64, numbers[i], 2 };
    assert_false(crd__kernel_gather_run(1, &g, x, y, &bad));
    assert_int_equal(bad, first[i]);
  }
}

static void rows_go_back(void **state) {
  (void)state;
  enum { OUTER = 2, LENGTH = 5, INNER = 300, COUNT = 9 };
  static float dy[OUTER][COUNT][INNER], dx[2][OUTER][LENGTH][INNER], want[OUTER][LENGTH][INNER];
  const int32_t index[COUNT] = { 2, 0, -1, -3, 2, 2, 1, -5, 0 }; /* 3 does not occur */
  for (size_t o = 0; o < OUTER; o++)
    for (size_t k = 0; k < COUNT; k++)
      for (size_t i = 0; i < INNER; i++) {
        dy[o][k][i] = (float)(o * 7 + k * 31 + i) / 16;
        want[o][index[k] < 0 ? index[k] + LENGTH : index[k]][i] += dy[o][k][i];
      }
  const crd__kernel_gather g = { 4, OUTER, LENGTH, INNER, CRD_I32, index, COUNT };
  for (unsigned t = 0; t < 2; t++) {
    memset(dx[t], 1, sizeof dx[t]);
    crd__kernel_gather_back(t + 1, &g, &dy[0][0][0], &dx[t][0][0][0]);
    assert_memory_equal(dx[t], want, sizeof want);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(rows_by_number),
    cmocka_unit_test(out_of_bounds),
    cmocka_unit_test(rows_go_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

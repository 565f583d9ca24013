/* index_test.c -- slices by index: duplicates in their order for any number of threads, gradients
 * of duplicates, and indices out of range. */
#include "engine/kernel/index.h"

#include "support.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 5, INNER = 20000, COUNT = 7, THREADS = 3 };

static const int64_t wide[COUNT] = { 4, 0, -1, 2, 0, 0, -3 }; /* 1 does not occur */

static crd__kernel_index rows_of(void) {
  return (crd__kernel_index){ .dtype = CRD_F32,
                              .index_type = CRD_I64,
                              .index = wide,
                              .rank = 1,
                              .dims = { 1 },
                              .count = COUNT,
                              .step = 1,
                              .depth = 1,
                              .lengths = { ROWS },
                              .strides = { INNER },
                              .inner = INNER };
}

static size_t row_at(size_t k) { return (size_t)(wide[k] < 0 ? wide[k] + ROWS : wide[k]); }

static float updated(crd__kernel_scatter_id id, float x, float u) {
  const float values[] = { u, x + u, x * u, x > u ? x : u, x < u ? x : u };
  return values[id];
}

static void updates_have_an_order(void **state) {
  static float x[ROWS][INNER], u[COUNT][INNER], want[ROWS][INNER], got[ROWS][INNER];
  const crd__kernel_index g = rows_of();
  (void)state;
  for (crd__kernel_scatter_id id = CRD__SCATTER_NONE; id <= CRD__SCATTER_MIN; id++) {
    for (size_t i = 0; i < ROWS * INNER; i++)
      x[i / INNER][i % INNER] = (float)(i * 7919 % 1000) / 300 - 1;
    for (size_t i = 0; i < COUNT * INNER; i++)
      u[i / INNER][i % INNER] = (float)(i * 104729 % 1000) / 300 - 1;
    memcpy(want, x, sizeof x);
    for (size_t k = 0; k < COUNT; k++)
      for (size_t i = 0; i < INNER; i++)
        want[row_at(k)][i] = updated(id, want[row_at(k)][i], u[k][i]);
    for (unsigned threads = 1; threads <= THREADS; threads++) {
      memcpy(got, x, sizeof x);
      crd__kernel_index_scatter(threads, &g, id, u, got);
      assert_memory_equal(got, want, sizeof want);
    }
  }
}

/* Of three updates of row 0 without a reduction, only the last has a gradient. */
static void gradients_of_duplicates(void **state) {
  static float x[ROWS][INNER], u[COUNT][INNER], dx[ROWS][INNER], du[COUNT][INNER];
  const crd__kernel_index g = rows_of();
  (void)state;
  for (size_t i = 0; i < ROWS * INNER; i++) x[i / INNER][i % INNER] = 3;
  for (size_t i = 0; i < COUNT * INNER; i++) u[i / INNER][i % INNER] = (float)(i / INNER + 2);
  for (unsigned threads = 1; threads <= THREADS; threads++) {
    for (size_t i = 0; i < ROWS * INNER; i++) dx[i / INNER][i % INNER] = 1;
    crd__kernel_index_scatter_back(threads, &g, CRD__SCATTER_NONE, NULL, NULL, &dx[0][0],
                                   &du[0][0]);
    for (size_t i = 0; i < INNER; i++) {
      assert_true(du[1][i] == 0 && du[4][i] == 0 && du[5][i] == 1); /* row 0 */
      assert_true(dx[0][i] == 0 && dx[1][i] == 1 && dx[4][i] == 0);
    }
    float *const copy = malloc(sizeof x);
    assert_non_null(copy);
    memcpy(copy, x, sizeof x);
    for (size_t i = 0; i < ROWS * INNER; i++) dx[i / INNER][i % INNER] = 1;
    crd__kernel_index_scatter_back(threads, &g, CRD__SCATTER_MUL, copy, &u[0][0], &dx[0][0],
                                   &du[0][0]);
    free(copy);
    for (size_t i = 0; i < INNER; i++) { /* row 0 is 3 u[1] u[4] u[5] */
      assert_true(dx[0][i] == 3.F * 6 * 7 && dx[1][i] == 1);
      assert_true(du[1][i] == 3.F * 6 * 7 && du[4][i] == 3.F * 3 * 7 && du[5][i] == 3.F * 3 * 6);
    }
  }
}

static void slices_are_read(void **state) {
  static int16_t x[ROWS][INNER], y[COUNT][INNER];
  crd__kernel_index g = rows_of();
  (void)state;
  g.dtype = CRD_I16;
  for (size_t i = 0; i < ROWS * INNER; i++) x[i / INNER][i % INNER] = (int16_t)(i * 31);
  for (unsigned threads = 1; threads <= THREADS; threads++) {
    memset(y, 0, sizeof y);
    crd__kernel_index_gather(threads, &g, x, y);
    for (size_t k = 0; k < COUNT; k++) assert_memory_equal(y[k], x[row_at(k)], sizeof y[k]);
  }
}

static void out_of_range(void **state) {
  static const int64_t lists[][4] = {
    { 0, 0, 1, 3 }, { 0, 0, -3, 0 }, { INT64_MIN, 0, 0, 0 }, { 0, INT64_MAX, 0, 0 }
  };
  static const int64_t firsts[] = { 3, -3, INT64_MIN, INT64_MAX };
  static const size_t lengths[] = { 3, 2, 2, 3 };
  (void)state;
  for (size_t i = 0; i < 4; i++) {
    const crd__kernel_index g = { .index_type = CRD_I64,
                                  .index = lists[i],
                                  .count = 2,
                                  .step = 1,
                                  .depth = 2,
                                  .lengths = { 2, 3 },
                                  .inner = 1 };
    int64_t bad = 0;
    size_t length = 0;
    assert_false(crd__kernel_index_check(&g, &bad, &length));
    assert_int_equal(bad, firsts[i]);
    assert_int_equal(length, lengths[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(updates_have_an_order),
    cmocka_unit_test(gradients_of_duplicates),
    cmocka_unit_test(slices_are_read),
    cmocka_unit_test(out_of_range),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

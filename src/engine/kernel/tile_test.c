/* tile_test.c -- repetition, its gradient and triangles against plain loops over indices. */
#include "engine/kernel/tile.h"

#include "support.h"

#include "base/random.h"

#include <math.h>

enum { MOST = 40000 };

static float x[MOST], y[2][MOST], dx[2][MOST];

/* Return the index in the array that element i of the result repeats. */
static size_t source(const crd__kernel_tiling *t, size_t i) {
  size_t at = 0, step = 1;
  for (size_t d = t->rank; d-- > 0;) {
    const size_t length = (size_t)(t->dims[d] * t->repeats[d]);
    at += i % length % (size_t)t->dims[d] * step;
    i /= length;
    step *= (size_t)t->dims[d];
  }
  return at;
}

static void arrays_are_repeated(void **state) {
  (void)state;
  static const crd__kernel_tiling cases[] = {
    { 1, { 7 }, { 3 } },
    { 2, { 30, 40 }, { 2, 3 } },
    { 4, { 2, 1, 5, 6 }, { 3, 4, 1, 2 } },
    { 3, { 4, 300, 1 }, { 5, 1, 6 } },
    { 6, { 2, 2, 2, 2, 2, 2 }, { 2, 1, 2, 1, 2, 2 } },
    { 0, { 0 }, { 0 } },
  };
  for (size_t i = 0; i < MOST; i++) x[i] = (float)crd__random_uniform(1, 0, i) - 0.5F;
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    const crd__kernel_tiling *const t = &cases[c];
    static double sums[MOST];
    size_t total = 1, own = 1;
    for (size_t d = 0; d < t->rank; d++) {
      own *= (size_t)t->dims[d];
      total *= (size_t)(t->dims[d] * t->repeats[d]);
    }
    for (unsigned k = 0; k < 2; k++) {
      crd__kernel_tile(k + 1, t, sizeof(float), x, y[k]);
      crd__kernel_tile_back(k + 1, t, x, dx[k]);
    }
    assert_memory_equal(y[0], y[1], total * sizeof(float));
    assert_memory_equal(dx[0], dx[1], own * sizeof(float));
    for (size_t i = 0; i < own; i++) sums[i] = 0;
    for (size_t i = 0; i < total; i++) {
      assert_true(y[0][i] == x[source(t, i)]);
      sums[source(t, i)] += (double)x[i];
    }
    for (size_t i = 0; i < own; i++) assert_true(fabs((double)dx[0][i] - sums[i]) <= 1e-5);
  }
}

static void triangles(void **state) {
  (void)state;
  for (size_t i = 0; i < MOST; i++) x[i] = (float)i + 1;
  for (int64_t k = -90; k <= 90; k += 6)
    for (int lower = 0; lower < 2; lower++) {
      const crd__kernel_triangle t = { 3, 70, 80, sizeof(float), k, lower };
      for (unsigned n = 0; n < 2; n++) crd__kernel_trilu(n + 1, &t, x, y[n]);
      assert_memory_equal(y[0], y[1], 3 * 70 * 80 * sizeof(float));
      for (size_t i = 0; i < 3 * 70 * 80; i++) {
        const int64_t right = (int64_t)(i % 80) - (int64_t)(i / 80 % 70);
        assert_true(y[0][i] == ((lower ? right <= k : right >= k) ? x[i] : 0));
      }
    }
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(arrays_are_repeated),
                                      cmocka_unit_test(triangles) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

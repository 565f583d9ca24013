/* along_test.c -- sums, extrema and the greatest elements along an axis, against plain loops, with
 * one thread and with several. */
#include "engine/kernel/along.h"

#include "support.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 60000, THREADS = 3 };

/* The last dimension alone, many columns, and both with several outer indices. */
static const size_t shapes[][3] = {
  { 1, 20000, 1 }, { 1, 60, 1000 }, { 40, 500, 3 }, { 300, 7, 1 }
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static float x[MOST];

static crd__kernel_along shape(size_t s) {
  const crd__kernel_along a = { CRD_F32, shapes[s][0], shapes[s][1], shapes[s][2] };
  for (size_t i = 0; i < a.outer * a.length * a.inner; i++)
    x[i] = (float)(i * 7919 % 977) - 400; /* with duplicates */
  return a;
}

static void sums(void **state) {
  static float got[MOST], want[MOST];
  (void)state;
  for (size_t c = 0; c < 4 * SHAPES; c++) {
    const crd__kernel_along a = shape(c / 4);
    const bool exclusive = c & 1, reverse = c & 2;
    for (size_t o = 0; o < a.outer; o++)
      for (size_t i = 0; i < a.inner; i++) {
        double sum = 0;
        for (size_t k = 0; k < a.length; k++) {
          const size_t at = (o * a.length + (reverse ? a.length - 1 - k : k)) * a.inner + i;
          want[at] = (float)(sum + (exclusive ? 0 : (double)x[at]));
          sum += (double)x[at];
        }
      }
    for (unsigned threads = 1; threads <= THREADS; threads++) {
      crd__kernel_cumsum(threads, &a, exclusive, reverse, x, got);
      assert_memory_equal(got, want, a.outer * a.length * a.inner * sizeof *got);
    }
  }
}

static void integers_wrap(void **state) {
  const int64_t given[] = { INT64_MAX, 1, 1 }, want[] = { INT64_MAX, INT64_MIN, INT64_MIN + 1 };
  int64_t got[3];
  (void)state;
  crd__kernel_cumsum(1, &(crd__kernel_along){ CRD_I64, 1, 3, 1 }, false, false, given, got);
  assert_memory_equal(got, want, sizeof want);
}

static void extrema(void **state) {
  static int64_t got[MOST], want[MOST];
  (void)state;
  for (size_t c = 0; c < 4 * SHAPES; c++) {
    const crd__kernel_along a = shape(c / 4);
    const bool least = c & 1, last = c & 2;
    for (size_t o = 0; o < a.outer; o++)
      for (size_t i = 0; i < a.inner; i++) {
        const float *const from = x + o * a.length * a.inner + i;
        size_t best = 0;
        for (size_t k = 1; k < a.length; k++) {
          const float v = from[k * a.inner], b = from[best * a.inner];
          if ((least ? v < b : v > b) || (last && v == b)) best = k;
        }
        want[o * a.inner + i] = (int64_t)best;
      }
    for (unsigned threads = 1; threads <= THREADS; threads++) {
      crd__kernel_arg(threads, &a, least, last, x, got);
      assert_memory_equal(got, want, a.outer * a.inner * sizeof *got);
    }
  }
}

/* Each comes after the one before it, and no other element before the last. */
static void check_column(const crd__kernel_along *a, size_t k, bool least, const float *from,
                         const int64_t *positions, const float *values) {
  size_t before = 0;
  for (size_t j = 0; j < k; j++) {
    const float v = values[j * a->inner];
    assert_true(v == from[(size_t)positions[j * a->inner] * a->inner]);
    if (j == 0) continue;
    const float u = values[(j - 1) * a->inner];
    assert_true((least ? u < v : u > v) ||
                (u == v && positions[(j - 1) * a->inner] < positions[j * a->inner]));
  }
  const float end = values[(k - 1) * a->inner];
  for (size_t j = 0; j < a->length; j++) {
    const float v = from[j * a->inner];
    before +=
        (least ? v < end : v > end) || (v == end && (int64_t)j < positions[(k - 1) * a->inner]);
  }
  assert_int_equal(before, k - 1);
}

static void greatest(void **state) {
  static int64_t positions[2][MOST];
  static float values[2][MOST];
  (void)state;
  for (size_t c = 0; c < 2 * SHAPES; c++) {
    const crd__kernel_along a = shape(c / 2);
    const size_t k = a.length < 40 ? a.length : 40;
    for (unsigned t = 0; t < 2; t++)
      crd__kernel_topk(t ? THREADS : 1, &a, k, c & 1, x, values[t], positions[t]);
    for (size_t o = 0; o < a.outer; o++)
      for (size_t i = 0; i < a.inner; i++)
        check_column(&a, k, c & 1, x + o * a.length * a.inner + i,
                     positions[0] + o * k * a.inner + i, values[0] + o * k * a.inner + i);
    assert_memory_equal(positions[0], positions[1], a.outer * k * a.inner * sizeof **positions);
    assert_memory_equal(values[0], values[1], a.outer * k * a.inner * sizeof **values);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(sums),
    cmocka_unit_test(integers_wrap),
    cmocka_unit_test(extrema),
    cmocka_unit_test(greatest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

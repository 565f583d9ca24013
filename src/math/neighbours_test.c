/* neighbours_test.c -- neighbours compared with sorted distances to all rows; near duplicates,
 * zeros, overflow. */
#include "support.h"

#include "base/random.h"
#include "math/neighbours.h"

#include <math.h>
#include <stdlib.h>

enum { ROWS = 300, WIDTH_MAX = 70, COUNT = 45, WANTED_MAX = 12 };

static double bank[ROWS * WIDTH_MAX], queries[COUNT * WIDTH_MAX];

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double square(const double *a, const double *b, size_t width) {
  double sum = 0;
  for (size_t j = 0; j < width; j++) sum += (a[j] - b[j]) * (a[j] - b[j]);
  return sum;
}

/* Each row appears once, with its distance; ties are in row order. */
static void assert_numbers(size_t rows, size_t width, size_t wanted, const double *out,
                           const size_t *which) {
  for (size_t i = 0; i < COUNT; i++)
    for (size_t k = 0; k < wanted && k < rows && isfinite(out[i * wanted + k]); k++) {
      const size_t here = i * wanted + k;
      assert_true(which[here] < rows);
      const double expected = square(queries + i * width, bank + which[here] * width, width);
      assert_true(fabs(out[here] - expected) <= 1e-14 * expected);
      if (k > 0 && out[here] == out[here - 1]) assert_true(which[here] > which[here - 1]);
      for (size_t l = 0; l < k; l++) assert_true(which[i * wanted + l] != which[here]);
    }
}

static void compare(size_t rows, size_t width, size_t wanted, const char *what) {
  double out[COUNT * WANTED_MAX], all[ROWS];
  size_t which[COUNT * WANTED_MAX];
  crd__math_neighbours(queries, COUNT, bank, rows, width, wanted, out, which);
  assert_numbers(rows, width, wanted, out, which);
  for (size_t i = 0; i < COUNT; i++) {
    for (size_t k = 0; k < rows; k++) all[k] = square(queries + i * width, bank + k * width, width);
    qsort(all, rows, sizeof *all, ascending);
    for (size_t k = 0; k < wanted; k++) {
      const double found = out[i * wanted + k], expected = k < rows ? all[k] : (double)INFINITY;
      if (found != expected && !(fabs(found - expected) <= 1e-14 * expected))
        fail_msg("%s, %zu x %zu: neighbour %zu of %zu is at %.17g, expected %.17g", what, rows,
                 width, k, i, found, expected);
    }
  }
}

/* Values between -scale and scale, rows of different lengths. */
static void draw(double *out, size_t count, uint64_t stream, double scale) {
  for (size_t i = 0; i < count; i++) out[i] = scale * (2 * crd__random_uniform(7, stream, i) - 1);
}

static void are_the_nearest_of_all(void **state) {
  static const size_t widths[] = { 1, 2, 7, 8, 9, WIDTH_MAX }, sizes[] = { 1, 3, 128, 129, ROWS };
  (void)state;
  for (size_t w = 0; w < 6; w++)
    for (size_t n = 0; n < 5; n++)
      for (size_t wanted = 1; wanted <= WANTED_MAX; wanted += 5) {
        draw(bank, ROWS * WIDTH_MAX, 1, 1);
        draw(queries, COUNT * WIDTH_MAX, 2, 1);
        compare(sizes[n], widths[w], wanted, "random");
      }
}

/* Distances far below the rounding errors of inner products, which alone would order them
 * wrongly. */
static void near_copies_keep_their_order(void **state) {
  (void)state;
  draw(queries, COUNT * WIDTH_MAX, 2, 1);
  for (size_t k = 0; k < ROWS; k++)
    for (size_t j = 0; j < 8; j++)
      bank[k * 8 + j] = queries[k % COUNT * 8 + j] + (j == k % 8 ? 1e-11 * (double)(ROWS - k) : 0);
  for (size_t wanted = 1; wanted <= WANTED_MAX; wanted++) compare(ROWS, 8, wanted, "near copies");
}

static void zeros_and_extremes_are_measured(void **state) {
  static const double scales[] = { 0, 1e-200, 1e-170, 1e150, 1e200, 1e308 };
  (void)state;
  for (size_t s = 0; s < 6; s++)
    for (size_t t = 0; t < 6; t++) {
      draw(bank, ROWS * WIDTH_MAX, 1, scales[s]);
      draw(queries, COUNT * WIDTH_MAX, 2, scales[t]);
      for (size_t k = 0; k < ROWS; k += 3)
        for (size_t j = 0; j < 5; j++) bank[k * 5 + j] = 0;
      compare(ROWS, 5, 4, "extremes");
    }
}

/* With more duplicates than requested neighbours, every query gets the first ones. */
static void copies_come_in_order(void **state) {
  double out[COUNT * WANTED_MAX];
  size_t which[COUNT * WANTED_MAX];
  (void)state;
  for (size_t i = 0; i < ROWS * 3; i++) bank[i] = 0.1;
  crd__math_neighbours(bank + 120, COUNT, bank, ROWS, 3, WANTED_MAX, out, which);
  for (size_t i = 0; i < COUNT * WANTED_MAX; i++) {
    assert_true(out[i] == 0);
    assert_int_equal(which[i], i % WANTED_MAX);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(are_the_nearest_of_all),
                                      cmocka_unit_test(near_copies_keep_their_order),
                                      cmocka_unit_test(copies_come_in_order),
                                      cmocka_unit_test(zeros_and_extremes_are_measured) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

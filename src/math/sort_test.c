/* sort_test.c -- compared with qsort, on inputs that are hard for one sort or another. */
#include "math/sort.h"

#include <math.h>
#include <stdlib.h>

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static uint64_t state;
static uint64_t next(void) { /* xorshift64 */
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

static int compare(const void *a, const void *b) {
  const uint64_t *const x = a, *const y = b;
  for (size_t w = 0; w < 3; w++)
    if (x[w] != y[w]) return x[w] < y[w] ? -1 : 1;
  return 0;
}

static uint64_t shape(size_t kind, size_t i, size_t count) {
  switch (kind) {
  case 0:
    return next();
  case 1:
    return i;
  case 2:
    return count - i;
  case 3:
    return 42;
  case 4:
    return next() % 4;
  case 5:
    return crd__math_sort_key(next() % 4 ? (double)(next() >> 11) * 0x1p-53 : 1.0);
  case 6:
    return i == count / 2 ? UINT64_MAX : 0;
  default:
    return UINT64_C(1) << next() % 64;
  }
}
enum { SHAPES = 8, MOST = 4 /* words of a record */ };

static void check(size_t count, size_t words, size_t first, size_t second) {
  uint64_t *const records = malloc((count + 1) * words * sizeof *records);
  uint64_t *const expected = calloc(count + 1, MOST * sizeof *expected);
  for (size_t i = 0; i < count; i++) {
    uint64_t *const r = records + i * words, *const e = expected + i * MOST;
    e[0] = r[0] = shape(first, i, count);
    e[1] = r[1] = shape(second, i, count);
    for (size_t w = 2; w < words; w++) /* a payload that identifies its record */
      e[w] = r[w] = r[0] * 31 + r[1] + w;
  }
  qsort(expected, count, MOST * sizeof *expected, compare);
  crd__math_sort_records(records, count, words);
  for (size_t i = 0; i < count; i++)
    assert_memory_equal(records + i * words, expected + i * MOST, words * sizeof *records);
  free(expected);
  free(records);
}

static void like_qsort(void **unused) {
  (void)unused;
  static const size_t counts[] = { 0, 1, 2, 3, 24, 25, 26, 100, 257, 5000 };
  state = 9;
  for (size_t n = 0; n < sizeof counts / sizeof *counts; n++)
    for (size_t first = 0; first < SHAPES; first++)
      for (size_t second = 0; second < SHAPES; second++)
        for (size_t words = 2; words <= MOST; words++) check(counts[n], words, first, second);
}

static void many_like_few(void **unused) {
  (void)unused;
  enum { COUNT = 3 << 20, WORDS = 2 };
  crd_context *ctx;
  uint64_t *const one = malloc(COUNT * WORDS * sizeof *one);
  uint64_t *const other = malloc(COUNT * WORDS * sizeof *other);
  assert_int_equal(crd_context_create(NULL, &ctx), CRD_OK);
  state = 7;
  for (size_t i = 0; i < COUNT; i++) {
    one[WORDS * i] = crd__math_sort_key(0x1p-53 * (double)(next() >> 11));
    one[WORDS * i + 1] = i;
  }
  memcpy(other, one, COUNT * WORDS * sizeof *one);
  crd__math_sort_records(one, COUNT, WORDS);
  crd_context_interrupt(ctx);
  assert_int_equal(crd__math_sort_many(ctx, other, COUNT, WORDS), CRD_EINTERRUPTED);
  assert_int_equal(crd__math_sort_many(ctx, other, COUNT, WORDS), CRD_OK);
  assert_memory_equal(one, other, COUNT * WORDS * sizeof *one);
  crd_context_destroy(ctx);
  free(one);
  free(other);
}

static void keys(void **unused) {
  (void)unused;
  const double values[] = { 0, 5e-324, 1e-300, 0.5, nextafter(1, 0), 1, 2, 1e308, INFINITY };
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    assert_true(crd__math_sort_value(crd__math_sort_key(values[i])) == values[i]);
    if (i) assert_true(crd__math_sort_key(values[i - 1]) < crd__math_sort_key(values[i]));
  }
  assert_int_equal(crd__math_sort_key(-0.0), 0);
}

static void signed_keys(void **unused) {
  (void)unused;
  const double values[] = { -INFINITY, -1e308, -1, -5e-324, 0, 5e-324, 0.5, 1, 1e308, INFINITY };
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    const uint64_t key = crd__math_sort_signed_key(values[i]);
    assert_true(crd__math_sort_signed_value(key) == values[i]);
    if (i) assert_true(crd__math_sort_signed_key(values[i - 1]) < key);
  }
  assert_true(crd__math_sort_signed_key(-0.0) == crd__math_sort_signed_key(0));
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(like_qsort), cmocka_unit_test(many_like_few),
                                      cmocka_unit_test(keys), cmocka_unit_test(signed_keys) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

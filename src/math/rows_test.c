/* rows_test.c -- every kernel against long double arithmetic, and against each other bit by bit. */
#include "math/rows.h"

#include "math/half.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static uint64_t state;
static double uniform(void) { /* xorshift64 */
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (double)(state >> 11) * 0x1p-53;
}

static const size_t sizes[] = { 2, 4, 8 };

/* Values as elements of a type, at the very end of a block, so that overreads are detected. */
static void *pack(const double *values, size_t count, crd__math_row_type type) {
  char *const data = malloc(count * sizes[type] + 1);
  assert_non_null(data);
  for (size_t i = 0; i < count; i++) {
    const uint16_t half = crd__math_half_from_double(values[i]);
    const float single = (float)values[i];
    const void *const from[] = { &half, &single, &values[i] };
    memcpy(data + 1 + i * sizes[type], from[type], sizes[type]); /* + 1: not aligned */
  }
  return data;
}

static double unpack(const void *packed, crd__math_row_type type, size_t i) {
  uint16_t half = 0;
  float single = 0;
  double value = 0;
  void *const to[] = { &half, &single, &value };
  memcpy(to[type], (const char *)packed + 1 + i * sizes[type], sizes[type]);
  return type == CRD__ROW_F16   ? crd__math_half_to_double(half)
         : type == CRD__ROW_F32 ? single
                                : value;
}

static void assert_close(double found, long double expected, double tolerance) {
  if (!(fabsl(found - expected) <= tolerance * fabsl(expected)))
    fail_msg("found %.17g, expected %.20Lg", found, expected);
}

static void assert_bits(double a, double b) { assert_memory_equal(&a, &b, sizeof a); }

static void assert_same(const crd__math_row_summary *a, const crd__math_row_summary *b) {
  assert_int_equal(a->finite, b->finite);
  if (!a->finite) return;
  assert_bits(a->top, b->top);
  assert_int_equal(a->argmax, b->argmax);
  assert_bits(a->mass, b->mass);
  assert_bits(a->mean, b->mean);
  assert_bits(a->square, b->square);
  assert_bits(a->low, b->low);
}

static void check_logits(const void *packed, crd__math_row_type type, size_t row, size_t cols,
                         const crd__math_row_summary *found) {
  size_t best = 0;
  for (size_t k = 1; k < cols; k++)
    if (unpack(packed, type, row * cols + k) > unpack(packed, type, row * cols + best)) best = k;
  const long double top = unpack(packed, type, row * cols + best);
  long double mass = 0, mean = 0, square = 0;
  for (size_t k = 0; k < cols; k++) {
    const long double d = unpack(packed, type, row * cols + k) - top, e = expl(d);
    mass += e;
    mean += e * d;
    square += e * e;
  }
  assert_true(found->finite);
  assert_int_equal(found->argmax, best);
  assert_true(found->top == (double)top);
  /* A lane rounds cols / 16 times; z - m rounds too, by up to 350 * 2^-53. */
  const double rounding = 2e-15 + (double)(cols / 16) * 0x1p-53;
  assert_close(found->mass, mass, rounding);
  assert_close(found->square, square, rounding);
  if (mean < -1e-140L) assert_close(found->mean, mean, rounding + 350 * 0x1p-53);
}

static void check_moments(const void *packed, crd__math_row_type type, size_t row, size_t cols,
                          double b, double top, const crd__math_row_moments *found) {
  long double mass = 0, mean = 0, square = 0, cube = 0;
  for (size_t k = 0; k < cols; k++) {
    const long double d = unpack(packed, type, row * cols + k) - (long double)top;
    const long double e = b * d < -350 ? 0 : expl(b * d);
    mass += e;
    mean += e * d;
    square += e * d * d;
    cube += e * d * d * d;
  }
  /* As above, and the product of b and d rounds too. */
  const double rounding = 5e-15 + (double)(cols / 16) * 0x1p-53 + 700 * 0x1p-53;
  assert_close(found->mass, mass, rounding);
  if (mean > -1e-140L) return; /* terms at the cut-off differ */
  assert_close(found->mean, mean, rounding);
  assert_close(found->square, square, rounding);
  assert_close(found->cube, cube, rounding);
}

/* All kernels with a temperature match the definition, with the same bits. */
static void check_tempered(const void *packed, const crd__math_row_summary *rows_of, size_t rows,
                           size_t cols, crd__math_row_type type, double b) {
  enum { ROWS_MAX = 64 };
  crd__math_row_moments first[ROWS_MAX], other[ROWS_MAX];
  double top[ROWS_MAX];
  const char *const data = (const char *)packed + 1;
  const crd__math_row_kernels *const best = crd__math_row_kernels_best(), *kernels;
  assert_true(rows <= ROWS_MAX);
  for (size_t i = 0; i < rows; i++) top[i] = rows_of[i].top;
  best->temper(data, type, rows, cols, b, top, true, first);
  for (size_t i = 0; i < rows; i++) check_moments(packed, type, i, cols, b, top[i], &first[i]);
  for (size_t n = 0; (kernels = crd__math_row_kernels_at(n)); n++) {
    if (!kernels->usable()) continue;
    kernels->temper(data, type, rows, cols, b, top, true, other);
    assert_memory_equal(first, other, rows * sizeof *first);
    kernels->temper(data, type, rows, cols, b, top, false, other);
    for (size_t i = 0; i < rows; i++) assert_bits(first[i].mass, other[i].mass);
  }
}

static void check_peaks(const crd__math_row_kernels *kernels, const void *packed, size_t rows,
                        size_t cols, crd__math_row_type type,
                        const crd__math_row_summary *expected) {
  crd__math_row_summary found;
  for (size_t i = 0; i < rows; i++) {
    kernels->peaks((const char *)packed + 1 + i * cols * sizes[type], type, 1, cols, &found);
    assert_true(found.finite);
    assert_bits(found.top, expected[i].top);
    assert_int_equal(found.argmax, expected[i].argmax);
  }
}

/* Softmax and summary at once equal those of the two separate kernels. */
static void check_resolved(const crd__math_row_kernels *kernels, const void *packed, size_t rows,
                           size_t cols, crd__math_row_type type,
                           const crd__math_row_summary *expected, const double *p) {
  double *const q = malloc((cols + 1) * sizeof *q);
  for (size_t i = 0; i < rows; i++) {
    crd__math_row_summary found;
    kernels->resolve((const char *)packed + 1 + i * cols * sizes[type], type, 1, cols, &found, q);
    assert_memory_equal(q, p + i * cols, cols * sizeof *q);
    assert_bits(found.square, 0);
    found.square = expected[i].square;
    assert_same(&found, expected + i);
  }
  free(q);
}

/* Checks all kernels on rows of one kind. */
static void check_rows(const double *values, size_t rows, size_t cols, crd__math_row_type type) {
  char *const packed = pack(values, rows * cols, type);
  crd__math_row_summary *const first = calloc(rows + 1, sizeof *first);
  crd__math_row_summary *const other = calloc(rows + 1, sizeof *other);
  double *const p = malloc((rows * cols + 1) * sizeof *p);
  double *const q = malloc((rows * cols + 1) * sizeof *q);
  const crd__math_row_kernels *kernels;
  for (size_t n = 0; (kernels = crd__math_row_kernels_at(n)); n++) {
    if (!kernels->usable()) continue;
    const bool reference = kernels == crd__math_row_kernels_best();
    crd__math_row_summary *const found = reference ? first : other;
    double *const out = reference ? p : q;
    kernels->logits(packed + 1, type, rows, cols, CRD__WANT_MEAN | CRD__WANT_SQUARE, found);
    for (size_t i = 0; i < rows; i++) {
      if (reference) check_logits(packed, type, i, cols, found + i);
      else assert_same(first + i, other + i);
      crd__math_row_summary alone; /* other rows change nothing */
      kernels->logits(packed + 1 + i * cols * sizes[type], type, 1, cols,
                      CRD__WANT_MEAN | CRD__WANT_SQUARE, &alone);
      assert_same(found + i, &alone);
    }
    kernels->softmax(packed + 1, type, rows, cols, out);
    for (size_t i = 0; i < rows; i++)
      assert_bits(out[i * cols + first[i].argmax], 1 / first[i].mass);
    if (!reference) assert_memory_equal(p, q, rows * cols * sizeof *p);
    check_resolved(kernels, packed, rows, cols, type, first, p);
    kernels->logits(packed + 1, type, rows, cols, 0,
                    other); /* fewer requested statistics leave the others unchanged */
    for (size_t i = 0; i < rows; i++) assert_bits(first[i].mass, other[i].mass);
    check_peaks(kernels, packed, rows, cols, type, first);
  }
  if (cols < 1000 && rows < 64) {
    check_tempered(packed, first, rows, cols, type, 0.3);
    check_tempered(packed, first, rows, cols, type, 2.5);
  }
  free(q), free(p), free(other), free(first), free(packed);
}

static const size_t widths[] = { 1, 2, 3, 10, 15, 16, 17, 31, 63, 64, 65, 100, 129, 1000 };

static void logits_agree(void **unused) {
  (void)unused;
  static const double spreads[] = { 0.01, 3, 20, 200, 3000 };
  enum { ROWS = 37 }; /* two times sixteen at once, and some one by one */
  state = 1;
  for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
    const size_t cols = widths[w];
    double *const values = malloc(ROWS * cols * sizeof *values);
    for (size_t s = 0; s < sizeof spreads / sizeof *spreads; s++) {
      for (size_t i = 0; i < ROWS * cols; i++) values[i] = (uniform() - 0.5) * spreads[s];
      for (int type = CRD__ROW_F16; type <= CRD__ROW_F64; type++)
        check_rows(values, ROWS, cols, (crd__math_row_type)type);
    }
    for (size_t i = 0; i < ROWS * cols; i++) values[i] = i % 3 ? 0.0 : -0.0; /* ties */
    check_rows(values, ROWS, cols, CRD__ROW_F32);
    for (size_t i = 0; i < ROWS * cols; i++) values[i] = i % cols ? -1.7e308 : 1.7e308;
    check_rows(values, ROWS, cols, CRD__ROW_F64); /* z - m overflows */
    free(values);
  }
  check_rows(NULL, 0, 5, CRD__ROW_F32);
}

/* Ten thousand terms at, above and below the cut-off. */
static void many_small_terms(void **unused) {
  (void)unused;
  static const double depths[] = { -16, -21, -40, -60, -349.9, -350, -350.1, -709 };
  enum { COLS = 10000 };
  static double values[COLS];
  for (size_t n = 0; n < sizeof depths / sizeof *depths; n++) {
    for (size_t k = 0; k < COLS; k++) values[k] = depths[n] + 1e-3 * (double)(k % 7);
    values[COLS / 3] = 0;
    check_rows(values, 1, COLS, CRD__ROW_F32);
    check_rows(values, 1, COLS, CRD__ROW_F64);
  }
}

static void exp_is_accurate(void **unused) {
  (void)unused;
  double row[2] = { 0, 0 }, p[2];
  const crd__math_row_kernels *const kernels = crd__math_row_kernels_best();
  state = 7;
  for (size_t n = 0; n < 200000; n++) {
    row[1] = n % 2 ? -708 * uniform() : -uniform();
    kernels->softmax(row, CRD__ROW_F64, 1, 2, p);
    assert_close(p[1] / p[0], expl(row[1]), 6e-16); /* exp's own error and two more roundings */
  }
  row[1] = nextafter(-708, -1000);
  kernels->softmax(row, CRD__ROW_F64, 1, 2, p);
  assert_bits(p[1], 0);
}

/* One value that is not finite: its row is flagged, and no other. */
static void check_bad_value(const crd__math_row_kernels *kernels, crd__math_row_type type,
                            size_t cols, size_t at, double bad, bool flat) {
  enum { TOGETHER = 16 };
  double values[1000];
  crd__math_row_summary found[TOGETHER];
  const size_t rows = cols <= TOGETHER ? TOGETHER : 1, row = at % rows;
  for (size_t i = 0; i < rows * cols; i++) values[i] = flat ? 0.25 : -500 * (double)(i % 2);
  values[row * cols + at] = bad;
  char *const packed = pack(values, rows * cols, type);
  kernels->logits(packed + 1, type, rows, cols, 0, found);
  for (size_t i = 0; i < rows; i++) assert_int_equal(found[i].finite, i != row);
  kernels->peaks(packed + 1, type, rows, cols, found);
  for (size_t i = 0; i < rows; i++) assert_int_equal(found[i].finite, i != row);
  kernels->resolve(packed + 1, type, rows, cols, found, values);
  for (size_t i = 0; i < rows; i++) assert_int_equal(found[i].finite, i != row);
  kernels->probabilities(packed + 1, type, rows, cols, 0, found);
  for (size_t i = 0; i < rows; i++) assert_int_equal(found[i].finite, i != row);
  free(packed);
}

static void not_finite_is_seen(void **unused) {
  (void)unused;
  const double bad[] = { NAN, -NAN, INFINITY, -INFINITY };
  const crd__math_row_kernels *kernels;
  for (size_t n = 0; (kernels = crd__math_row_kernels_at(n)); n++)
    for (size_t w = 0; w < sizeof widths / sizeof *widths && kernels->usable(); w++)
      for (size_t at = 0; at<widths[w]; at += widths[w]> 100 ? 37 : 1)
        for (size_t b = 0; b < 8; b++)
          for (int type = CRD__ROW_F16; type <= CRD__ROW_F64; type++)
            check_bad_value(kernels, (crd__math_row_type)type, widths[w], at, bad[b % 4], b < 4);
}

static void check_probabilities(const void *packed, crd__math_row_type type, size_t cols,
                                const crd__math_row_summary *found) {
  long double mass = 0, mean = 0, square = 0;
  double low = INFINITY;
  for (size_t k = 0; k < cols; k++) {
    const double p = unpack(packed, type, k);
    mass += p;
    mean += p * logl(fmax(p, 1e-300));
    square += (long double)p * p;
    low = fmin(low, p);
  }
  assert_true(found->finite);
  assert_close(found->mass, mass, 1e-14);
  assert_close(found->mean, mean, 1e-13);
  assert_close(found->square, square, 1e-14);
  assert_bits(found->low, low + 0.0);
  assert_bits(found->top, unpack(packed, type, found->argmax));
}

static void probabilities_agree(void **unused) {
  (void)unused;
  state = 3;
  for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
    for (int t = CRD__ROW_F16; t <= CRD__ROW_F64; t++) {
      const crd__math_row_type type = (crd__math_row_type)t;
      const size_t cols = widths[w];
      double values[1000], p[1000], q[1000];
      for (size_t k = 0; k < cols; k++) values[k] = k % 5 == 4 ? 1e-40 : pow(uniform(), 4);
      char *const packed = pack(values, cols, type);
      crd__math_row_summary first, other;
      const crd__math_row_kernels *kernels = crd__math_row_kernels_best();
      kernels->probabilities(packed + 1, type, 1, cols, CRD__WANT_MEAN | CRD__WANT_SQUARE, &first);
      check_probabilities(packed, type, cols, &first);
      kernels->normalise(packed + 1, type, 1, cols, p);
      assert_bits(p[first.argmax], first.top / first.mass);
      for (size_t n = 0; (kernels = crd__math_row_kernels_at(n)); n++) {
        if (!kernels->usable()) continue;
        kernels->probabilities(packed + 1, type, 1, cols, CRD__WANT_MEAN | CRD__WANT_SQUARE,
                               &other);
        assert_same(&first, &other);
        kernels->normalise(packed + 1, type, 1, cols, q);
        assert_memory_equal(p, q, cols * sizeof *p);
      }
      free(packed);
    }
}

static void kernels_are_listed(void **unused) {
  (void)unused;
  size_t count = 0;
  for (const crd__math_row_kernels *kernels; (kernels = crd__math_row_kernels_at(count)); count++)
    if (!kernels->usable()) printf("SKIP %s: this processor does not have it\n", kernels->name);
  assert_string_equal(crd__math_row_kernels_at(count - 1)->name, "generic");
  assert_true(crd__math_row_kernels_best()->usable());
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(kernels_are_listed), cmocka_unit_test(logits_agree),
    cmocka_unit_test(many_small_terms),   cmocka_unit_test(exp_is_accurate),
    cmocka_unit_test(not_finite_is_seen), cmocka_unit_test(probabilities_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

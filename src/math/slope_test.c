/* slope_test.c -- known means along a step, of functions that jump, and the noise of rounded
 * ones. */
#include "math/slope.h"

#include "support.h"

#include "base/random.h"

#include <math.h>

typedef double (*function)(double t);
typedef struct {
  function f;
  int calls;
} subject;

static crd_status value(crd_context *ctx, void *self, double t, double *out) {
  subject *const s = self;
  (void)ctx;
  s->calls++;
  *out = s->f(t);
  return CRD_OK;
}

typedef struct {
  double mean, deviation;
  int points;
} found;

static found mean(function f, double step, int parts, int *calls) {
  subject s = { f, 0 };
  crd__math_line line;
  found all;
  assert_int_equal(crd__math_line_open(NULL, value, &s, step, &line), CRD_OK);
  assert_int_equal(crd__math_line_refine(NULL, value, &s, parts, &line), CRD_OK);
  all.mean = crd__math_line_mean(&line, &all.deviation);
  all.points = line.count;
  if (calls) *calls = s.calls;
  return all;
}

static double constant(double t) { return 7 + 0 * t; }
static double line(double t) { return 3 + t; }
static double jump(double t) { return t > 0.03 ? 2 : 1; }
static double stairs(double t) { return floor(t * 43 + 0.3) / 10; }
static double bump(double t) { return 1 + 10 * (t > 0.02 && t < 0.045); }

static const struct {
  function f;
  int parts;
  double mean;
} known[] = {
  { constant, 4, 7 },        { line, 4, 3 },     { jump, 8, 1.35 }, { jump, 128, 1.35 },
  { stairs, 32, -1.6 / 86 }, { bump, 32, 2.25 },
};

static void means_are_found(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    int calls;
    const found f = mean(known[i].f, 0.1, known[i].parts, &calls);
    if (fabs(f.mean - known[i].mean) > 3 * f.deviation + 1e-12 || calls != f.points ||
        calls != known[i].parts + 1)
      fail_msg("function %zu: mean %g +- %g of %d values, expected %g", i, f.mean, f.deviation,
               calls, known[i].mean);
  }
}

/* A jump is at an unknown place of one interval: a uniform distribution. */
static void deviations_are_of_jumps(void **state) {
  (void)state;
  assert_true(mean(constant, 0.1, 4, NULL).deviation == 0);
  for (int parts = 4; parts <= 256; parts *= 2) {
    const double expected = 1 / sqrt(12) / parts;
    assert_true(fabs(mean(jump, 0.1, parts, NULL).deviation - expected) < 1e-12);
  }
  assert_int_equal(mean(jump, 0.1, 1024, NULL).points, CRD__LINE_POINTS_MOST);
  /* The bump is between two of five points. */
  assert_true(mean(bump, 0.1, 4, NULL).deviation == 0);
  assert_true(mean(bump, 0.1, 8, NULL).deviation > 0);
}

/* Jumps of both signs at random places. */
static uint64_t seed;
static double walk(double t) {
  double sum = 0;
  for (uint64_t i = 0; i < 200; i++)
    sum += (i % 2 ? 1 : -1) * (t > crd__random_uniform(seed, 0, i) * 2 - 1);
  return sum;
}

/* The deviation of the mean is that of its errors. */
static void errors_are_as_large_as_expected(void **state) {
  double square = 0, expected = 0;
  (void)state;
  for (seed = 0; seed < 200; seed++) {
    const found few = mean(walk, 1, 8, NULL), many = mean(walk, 1, 256, NULL);
    square += (few.mean - many.mean) * (few.mean - many.mean);
    expected += few.deviation * few.deviation;
  }
  if (square > 3 * expected || square < expected / 3)
    fail_msg("errors are %g times as large as expected", sqrt(square / expected));
}

/* What is left of a step are the points inside half of it. */
static void steps_are_halved(void **state) {
  subject s = { jump, 0 };
  crd__math_line line;
  double deviation;
  (void)state;
  assert_int_equal(crd__math_line_open(NULL, value, &s, 0.1, &line), CRD_OK);
  assert_int_equal(crd__math_line_refine(NULL, value, &s, 8, &line), CRD_OK);
  crd__math_line_halve(&line);
  assert_int_equal(line.count, 5);
  assert_true(line.at[0] == -0.05 && line.at[4] == 0.05);
  assert_int_equal(crd__math_line_refine(NULL, value, &s, 32, &line), CRD_OK);
  assert_true(fabs(crd__math_line_mean(&line, &deviation) - 1.2) < 0.02);
}

static double quiet(double t) { return (float)(5 + sin(3 * t + 1)); }
static double loud(double t) { return (float)(1000 * (5 + sin(3 * t + 1))); }

/* Rounding to float32 from 4 to 8 has a standard deviation of 2^-21 / sqrt(12). */
static void noise_is_measured(void **state) {
  (void)state;
  static const struct {
    function f;
    double unit;
  } rounded[] = { { quiet, 0x1p-21 }, { loud, 0x1p-11 } };
  for (size_t i = 0; i < 2; i++) {
    subject s = { rounded[i].f, 0 };
    double noise;
    assert_int_equal(crd__math_line_noise(NULL, value, &s, &noise), CRD_OK);
    assert_int_equal(s.calls, 25);
    const double expected = rounded[i].unit / sqrt(12);
    if (noise < expected / 3 || noise > expected * 3)
      fail_msg("%zu: noise %g, expected %g", i, noise, expected);
  }
}

static crd_status refuse(crd_context *ctx, void *self, double t, double *out) {
  (void)ctx, (void)self;
  *out = 0;
  return t > 0 ? CRD_EINTERRUPTED : CRD_OK;
}

static crd_status refuse_between(crd_context *ctx, void *self, double t, double *out) {
  (void)ctx, (void)self;
  *out = t > 0;
  return t > 0 && t < 0.3 ? CRD_EINTERRUPTED : CRD_OK;
}

static void failures_are_passed_on(void **state) {
  crd__math_line line;
  double noise;
  (void)state;
  assert_int_equal(crd__math_line_noise(NULL, refuse, NULL, &noise), CRD_EINTERRUPTED);
  assert_int_equal(crd__math_line_open(NULL, refuse, NULL, 1, &line), CRD_EINTERRUPTED);
  assert_int_equal(crd__math_line_open(NULL, refuse_between, NULL, 1, &line), CRD_OK);
  assert_int_equal(crd__math_line_refine(NULL, refuse_between, NULL, 2, &line), CRD_OK);
  assert_int_equal(crd__math_line_refine(NULL, refuse_between, NULL, 8, &line), CRD_EINTERRUPTED);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(means_are_found),
    cmocka_unit_test(deviations_are_of_jumps),
    cmocka_unit_test(errors_are_as_large_as_expected),
    cmocka_unit_test(steps_are_halved),
    cmocka_unit_test(noise_is_measured),
    cmocka_unit_test(failures_are_passed_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* slope_test.c -- known means along a step, of functions that jump, and the noise of rounded
 * ones. */
#include "math/slope.h"

#include "support.h"

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

static crd__math_line_mean mean(function f, double step, int parts, double allowed, int *calls) {
  subject s = { f, 0 };
  crd__math_line_mean found;
  assert_int_equal(crd__math_line_average(NULL, value, &s, step, parts, allowed, &found), CRD_OK);
  if (calls) *calls = s.calls;
  return found;
}

static double constant(double t) { return 7 + 0 * t; }
static double line(double t) { return 3 + t; }
static double jump(double t) { return t > 0.03 ? 2 : 1; }
static double stairs(double t) { return floor(t * 43 + 0.3) / 10; }
static double bump(double t) { return 1 + 10 * (t > 0.02 && t < 0.045); }

/* The bump is between two of five points, and within one eighth of the step. */
static const struct {
  function f;
  int parts;
  double mean;
  bool bent;
} known[] = {
  { constant, 4, 7, false },      { line, 4, 3, true },     { jump, 4, 1.35, true },
  { stairs, 4, -1.6 / 86, true }, { bump, 32, 2.25, true },
};

static void means_are_found(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    int calls;
    const crd__math_line_mean found = mean(known[i].f, 0.1, known[i].parts, 2e-3, &calls);
    if (fabs(found.mean - known[i].mean) > 2e-3 || found.doubt > 2e-3 ||
        found.bent != known[i].bent || calls > 16 * known[i].parts + 1)
      fail_msg("function %zu: mean %g +- %g, %s, of %d values, expected %g", i, found.mean,
               found.doubt, found.bent ? "bent" : "straight", calls, known[i].mean);
  }
  assert_false(mean(bump, 0.1, 4, 2e-3, NULL).bent);
}

/* Each evaluation halves the interval that contains a jump, and no more are made. */
static void few_values_are_enough_for_one_jump(void **state) {
  int calls;
  (void)state;
  mean(jump, 0.1, 4, 0.87 / 256, &calls);
  assert_in_range(calls, 5 + 5, 5 + 7);
  mean(constant, 0.1, 4, 1e-9, &calls);
  assert_int_equal(calls, 5);
}

static double rough(double t) { return sin(1e7 * t); }

static void undetermined_slopes_have_large_errors(void **state) {
  int calls;
  (void)state;
  assert_true(mean(rough, 0.1, 4, 1e-3, &calls).doubt > 1e-2);
  assert_int_equal(calls, 4 * 16 + 1);
  assert_true(mean(rough, 0.1, CRD__LINE_PARTS_MOST, 1e-6, &calls).doubt > 1e-3);
  assert_int_equal(calls, CRD__LINE_PARTS_MOST * 16 + 1);
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
  return t > 0 && t < 0.5 ? CRD_EINTERRUPTED : CRD_OK;
}

static void failures_are_passed_on(void **state) {
  crd__math_line_mean found;
  double noise;
  (void)state;
  assert_int_equal(crd__math_line_noise(NULL, refuse, NULL, &noise), CRD_EINTERRUPTED);
  assert_int_equal(crd__math_line_average(NULL, refuse, NULL, 1, 4, 0, &found), CRD_EINTERRUPTED);
  assert_int_equal(crd__math_line_average(NULL, refuse_between, NULL, 1, 4, 1e-3, &found),
                   CRD_EINTERRUPTED);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(means_are_found),
    cmocka_unit_test(few_values_are_enough_for_one_jump),
    cmocka_unit_test(undetermined_slopes_have_large_errors),
    cmocka_unit_test(noise_is_measured),
    cmocka_unit_test(failures_are_passed_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

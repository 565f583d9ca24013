/* slope_test.c -- functions whose slope at 0 is known, rounded to singles, with kinks near 0 and at
 * it. */
#include "math/slope.h"

#include "support.h"

#include <math.h>

typedef double (*function)(double t);
typedef struct {
  function f;
  int calls;
  bool single;
} subject;

static crd_status value(crd_context *ctx, void *self, double t, double *out) {
  subject *const s = self;
  (void)ctx;
  s->calls++;
  *out = s->f(t);
  if (s->single) *out = (float)*out;
  return CRD_OK;
}

static crd__slope measure(function f, bool single) {
  subject s = { f, 0, single };
  double noise;
  crd__slope slope;
  assert_int_equal(crd__line_noise(NULL, value, &s, &noise), CRD_OK);
  assert_int_equal(s.calls, 25);
  assert_int_equal(crd__line_slope(NULL, value, &s, f(0), noise, &slope), CRD_OK);
  assert_true(s.calls <= 25 + 2 * 16);
  return slope;
}

static double line(double t) { return 3 + 7 * t; }
static double wave(double t) { return 5 + sin(3 * t + 1); }
static double steep(double t) { return exp(20 * t); }
static double flat(double t) { return 4 + t * t; }
static double beyond(double t) { return 2 + t + fmax(0, t - 0.01); }
static double corner(double t) { return 2 + t + fmax(0, t); }
static double cusp(double t) { return 1 + fabs(t); }

static const struct {
  function f;
  double slope;
} known[] = {
  { line, 7 }, { wave, 1.62090691760441915 }, { steep, 20 }, { flat, 0 }, { beyond, 1 },
};

static void slopes_are_found(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    const double wanted = known[i].slope;
    for (int single = 0; single < 2; single++) {
      const crd__slope found = measure(known[i].f, single);
      if (fabs(found.slope - wanted) > 2 * found.doubt + 1e-12 ||
          found.doubt > (single ? 2e-3 : 1e-5) * fmax(1, fabs(wanted)))
        fail_msg("function %zu: slope %g +- %g with step %g, expected %g", i, found.slope,
                 found.doubt, found.step, wanted);
    }
  }
}

/* The quotient alone is the mean of the two slopes, whatever the step. */
static void kinks_at_0_are_doubted(void **state) {
  (void)state;
  for (int single = 0; single < 2; single++) {
    assert_true(measure(corner, single).doubt > 0.4);
    assert_true(measure(cusp, single).doubt > 0.9);
  }
}

static double staircase(double t) { return floor(t * 100) / 100 + 0.001; }

static void steps_are_doubted(void **state) {
  (void)state;
  assert_true(measure(staircase, false).doubt > 0.1);
}

static double loud(double t) { return 1000 * wave(t); }

/* Rounding to singles from 4 to 8 has a standard deviation of 2^-21 / sqrt(12). */
static void noise_is_measured(void **state) {
  (void)state;
  static const struct {
    function f;
    double unit;
  } rounded[] = { { wave, 0x1p-21 }, { loud, 0x1p-11 } };
  for (size_t i = 0; i < 2; i++) {
    subject s = { rounded[i].f, 0, true };
    double noise;
    assert_int_equal(crd__line_noise(NULL, value, &s, &noise), CRD_OK);
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

static void failures_are_passed_on(void **state) {
  crd__slope slope;
  double noise;
  (void)state;
  assert_int_equal(crd__line_noise(NULL, refuse, NULL, &noise), CRD_EINTERRUPTED);
  assert_int_equal(crd__line_slope(NULL, refuse, NULL, 0, 0, &slope), CRD_EINTERRUPTED);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(slopes_are_found),       cmocka_unit_test(kinks_at_0_are_doubted),
    cmocka_unit_test(steps_are_doubted),      cmocka_unit_test(noise_is_measured),
    cmocka_unit_test(failures_are_passed_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* axes_test.c -- ticks, scales and labels of axes. */
#include "report/axes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void expect_ticks(crd__report_ticks ticks, const double *expected, size_t count) {
  assert_int_equal(ticks.count, count);
  for (size_t i = 0; i < count; i++)
    if (ticks.at[i] != expected[i])
      fail_msg("tick %zu is %.17g, expected %.17g", i, ticks.at[i], expected[i]);
}

#define EXPECT(ticks, ...)                                                                         \
  expect_ticks(ticks, (const double[]){ __VA_ARGS__ },                                             \
               sizeof((const double[]){ __VA_ARGS__ }) / sizeof(double))

static void ticks_are_nice(void **state) {
  (void)state;
  EXPECT(crd__report_ticks_linear(0, 1, 5), 0, 0.2, 0.4, 0.6, 0.8, 1);
  EXPECT(crd__report_ticks_linear(0, 1, 10), 0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1);
  EXPECT(crd__report_ticks_linear(0.0013, 0.0047, 4), 0.002, 0.003, 0.004);
  EXPECT(crd__report_ticks_linear(-30, 21, 5), -30, -20, -10, 0, 10, 20);
  EXPECT(crd__report_ticks_linear(0, 2.4e6, 5), 0, 500000, 1000000, 1500000, 2000000);
  EXPECT(crd__report_ticks_logarithmic(0.01, 0.5), 0.01, 0.02, 0.05, 0.1, 0.2, 0.5);
  EXPECT(crd__report_ticks_logarithmic(0.003, 200), 0.01, 0.1, 1, 10, 100);
  assert_int_equal(crd__report_ticks_linear(0, 1, 5).decimals, 1);
  assert_int_equal(crd__report_ticks_linear(0.0013, 0.0047, 4).decimals, 3);
  assert_int_equal(crd__report_ticks_linear(0, 2.4e6, 5).decimals, 0);
}

static void nothing_has_no_ticks(void **state) {
  (void)state;
  assert_int_equal(crd__report_ticks_linear(1, 1, 5).count, 0);
  assert_int_equal(crd__report_ticks_linear(0, (double)NAN, 5).count, 0);
  assert_int_equal(crd__report_ticks_linear(0, (double)INFINITY, 5).count, 0);
  assert_int_equal(crd__report_ticks_logarithmic(0, 1).count, 0);
  assert_true(crd__report_ticks_linear(1e18, 1e18 + 256, 5).count <= CRD__TICKS_MAX);
}

/* Naive reference: every step of 1, 2, 5 times a power of ten, every multiple within the range. */
static size_t naive_count(double low, double high, const char *step_text) {
  const double step = strtod(step_text, NULL);
  size_t count = 0;
  for (long k = -4000; k <= 4000; k++) {
    const double at = (double)k * step;
    count += at >= low - step * 1e-9 && at <= high + step * 1e-9;
  }
  return count;
}

static void ticks_are_all_within(void **state) {
  static const char *const steps[] = { "0.001", "0.002", "0.005", "0.01", "0.02", "0.05", "0.1",
                                       "0.2",   "0.5",   "1",     "2",    "5",    "10",   "20" };
  (void)state;
  for (size_t wanted = 2; wanted <= 10; wanted++)
    for (int i = 0; i < 200; i++) {
      const double low = -3 + i * 0.031, high = low + 0.02 + i * 0.11;
      const crd__report_ticks ticks = crd__report_ticks_linear(low, high, wanted);
      assert_true(ticks.count >= 1 && ticks.count <= 2 * wanted + 1);
      if (ticks.count < 2) continue;
      const double step = ticks.at[1] - ticks.at[0];
      size_t found = 0;
      for (size_t s = 0; s < sizeof steps / sizeof *steps; s++)
        if (fabs(step / strtod(steps[s], NULL) - 1) < 1e-6)
          found += naive_count(low, high, steps[s]) == ticks.count;
      if (found != 1) fail_msg("%zu ticks of step %g in %g .. %g", ticks.count, step, low, high);
    }
}

static void scales_are_linear_or_not(void **state) {
  const crd__report_scale down = { .low = 0, .high = 2, .from = 100, .to = 0 };
  const crd__report_scale decades = {
    .low = 0.01, .high = 100, .from = 0, .to = 40, .logarithmic = true
  };
  (void)state;
  assert_true(crd__report_scale_at(&down, 0.5) == 75);
  assert_true(crd__report_scale_at(&down, 3) == -50);
  assert_true(crd__report_scale_within(&down, 3) == 0);
  assert_true(crd__report_scale_within(&down, -1) == 100);
  assert_true(fabs(crd__report_scale_at(&decades, 1) - 20) < 1e-12);
  assert_true(fabs(crd__report_scale_at(&decades, 0.1) - 10) < 1e-12);
}

static void axes_name_their_ticks(void **state) {
  crd_context *ctx;
  crd__text text;
  const crd__report_axis axis = {
    "a & b", { 0, 1, 10, 110, false }, crd__report_ticks_linear(0, 1, 2), false
  };
  (void)state;
  assert_int_equal(crd_context_create(NULL, &ctx), CRD_OK);
  crd__text_init(&text, &ctx->alloc);
  crd__report_axis_bottom(&text, &axis, 50, 0);
  assert_non_null(
      strstr(text.bytes, "<line class=\"grid\" x1=\"60\" y1=\"50\" x2=\"60\" y2=\"0\"/>"));
  assert_non_null(strstr(text.bytes, " x=\"60\" y=\"65\" text-anchor=\"middle\">0.5</text>"));
  assert_non_null(strstr(text.bytes, ">a &amp; b</text>"));
  crd__text_clear(&text);
  crd_context_destroy(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(ticks_are_nice),        cmocka_unit_test(nothing_has_no_ticks),
    cmocka_unit_test(ticks_are_all_within),  cmocka_unit_test(scales_are_linear_or_not),
    cmocka_unit_test(axes_name_their_ticks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

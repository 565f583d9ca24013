/* smooth_test.c -- the area under a smoothed residual, against Gaussians. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "math/smooth.h"

#include <math.h>

enum { POINTS = 101, PLACES = 20000 };

static const double pi = 3.14159265358979323846;

/* Points with masses of either sign, most of them near 1, like confidences. */
static void make_points(double *points, double *masses) {
  for (size_t i = 0; i < POINTS; i++) {
    points[i] = 1 - pow(crd__random_uniform(1, 1, i), 3);
    masses[i] = crd__random_uniform(1, 2, i) - 0.4;
  }
  points[0] = 0;
  points[1] = 1;
}

/* The Gaussians of all points and their mirror images, one by one. */
static double direct(const double *points, const double *masses, double t, double s) {
  double sum = 0;
  for (size_t i = 0; i < POINTS; i++)
    for (int m = -4; m <= 4; m++) {
      const double right = (t - 2 * m - points[i]) / s, left = (t - 2 * m + points[i]) / s;
      sum += masses[i] * (exp(-right * right / 2) + exp(-left * left / 2));
    }
  return sum / (s * sqrt(2 * pi));
}

static double direct_area(const double *points, const double *masses, double s) {
  double sum = 0;
  for (int g = 0; g < PLACES; g++)
    sum += fabs(direct(points, masses, (g + 0.5) / PLACES, s)) / PLACES;
  return sum;
}

static crd__math_waves gather(const double *points, const double *masses, size_t waves) {
  crd__math_waves w = { .count = waves };
  crd__math_waves_add(&w, 0, points, masses, POINTS);
  return w;
}

static void areas_are_those_of_gaussians(void **state) {
  (void)state;
  static const double widths[] = { 0.5, 0.05, 0.02 };
  double points[POINTS], masses[POINTS];
  make_points(points, masses);
  for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
    const crd__math_waves w = gather(points, masses, crd__math_waves_for(widths[i]));
    const double expected = direct_area(points, masses, widths[i]);
    /* Bound of the midpoint rule's error where signs change. */
    assert_true(fabs(crd__math_waves_area(&w, widths[i]) - expected) < 1e-7 * expected);
  }
}

/* Without a change of sign the area is the sum of all masses, for any width. */
static void one_sign_gives_the_sum(void **state) {
  (void)state;
  double points[POINTS], masses[POINTS], sum = 0;
  make_points(points, masses);
  for (size_t i = 0; i < POINTS; i++) sum += masses[i] = -fabs(masses[i]);
  const crd__math_waves w = gather(points, masses, CRD__WAVES_MAX);
  assert_true(fabs(crd__math_waves_area(&w, 1e-3) + sum) < 1e-10);
  assert_true(fabs(crd__math_waves_area(&w, 0.3) + sum) < 1e-12);
}

static void waves_can_be_added_later(void **state) {
  (void)state;
  double points[POINTS], masses[POINTS];
  make_points(points, masses);
  const crd__math_waves all = gather(points, masses, 1024);
  crd__math_waves parts = gather(points, masses, 64);
  parts.count = 256;
  crd__math_waves_add(&parts, 64, points, masses, POINTS);
  parts.count = 1024;
  crd__math_waves_add(&parts, 256, points, masses, POINTS);
  for (size_t k = 0; k < 1024; k++) {
    double expected = 0;
    for (size_t i = 0; i < POINTS; i++) expected += masses[i] * cos((double)k * pi * points[i]);
    assert_true(fabs(parts.amplitude[k] - expected) < 1e-11);
    assert_true(fabs(all.amplitude[k] - expected) < 1e-11);
  }
}

static void widths_and_waves_agree(void **state) {
  (void)state;
  for (size_t count = 64; count < CRD__WAVES_MAX; count += 64) {
    const crd__math_waves w = { .count = count };
    const double width = crd__math_waves_width(&w);
    assert_int_equal(crd__math_waves_for(width * (1 + 1e-12)), count);
    assert_int_equal(crd__math_waves_for(width * (1 - 1e-12)), count + 64);
  }
  assert_int_equal(crd__math_waves_for(1e-3), CRD__WAVES_MAX);
  assert_int_equal(crd__math_waves_for(0), CRD__WAVES_MAX);
}

static void no_mass_no_area(void **state) {
  (void)state;
  const crd__math_waves w = { .count = 64 };
  assert_true(crd__math_waves_area(&w, 0.05) == 0);
}

static void triweight_moves_over_points(void **state) {
  (void)state;
  double points[POINTS], masses[POINTS];
  make_points(points, masses);
  const double radius = 0.8, step = 0.01;
  crd__math_triweight kernel = { { 0 } };
  for (size_t i = 0; i < POINTS; i++)
    crd__math_triweight_add(&kernel, points[i] / radius, masses[i]);
  for (int g = 0; g <= 20; g++) {
    double expected = 0;
    for (size_t i = 0; i < POINTS; i++)
      expected += masses[i] * pow(1 - pow((points[i] - g * step) / radius, 2), 3);
    assert_true(fabs(crd__math_triweight_value(&kernel) - expected) < 1e-12);
    crd__math_triweight_move(&kernel, step / radius);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(areas_are_those_of_gaussians),
    cmocka_unit_test(one_sign_gives_the_sum),
    cmocka_unit_test(waves_can_be_added_later),
    cmocka_unit_test(widths_and_waves_agree),
    cmocka_unit_test(no_mass_no_area),
    cmocka_unit_test(triweight_moves_over_points),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* units_test.c -- groups of rows numbered, and standard errors clustered by them. */
#include "clamp/testing.h"

#include "clamp/units.h"

static void rows_without_groups_are_units(void **state) {
  static scene s;
  int64_t unit_of[ROWS], end;
  open_scene(*state, &(plan){ .sharpness = 1 }, &s);
  WORKS(*state, crd__clamp_units(*state, s.data, 10, unit_of, &end));
  assert_int_equal(end, 10 + ROWS);
  for (size_t r = 0; r < ROWS; r++) assert_int_equal(unit_of[r], 10 + r);
  close_scene(&s);
}

static void groups_are_units(void **state) {
  static scene s;
  int64_t unit_of[ROWS], end;
  open_scene(*state, &(plan){ .sharpness = 1, .group = 5 }, &s);
  WORKS(*state, crd__clamp_units(*state, s.data, 0, unit_of, &end));
  assert_int_equal(end, (ROWS + 4) / 5);
  for (size_t r = 0; r < ROWS; r++) assert_int_equal(unit_of[r], r / 5);
  close_scene(&s);
}

/* Rows of weight 1: the standard error of a mean. */
static void single_rows(void **state) {
  static const double e[] = { 1, 4, -2, 3.5 };
  crd__clamp_spread spread = { 0 };
  double square = 0;
  (void)state;
  for (size_t i = 0; i < 4; i++) crd__clamp_spread_add(&spread, e[i], 1);
  const double mean = crd__clamp_spread_mean(&spread);
  for (size_t i = 0; i < 4; i++) square += (e[i] - mean) * (e[i] - mean);
  assert_true(near(mean, 6.5 / 4, 1e-15));
  assert_true(near(crd__clamp_spread_error(&spread), sqrt(square / 3 / 4), 1e-15));
}

/* n equal rows in each group are n times the weight: neither mean nor error changes. */
static void equal_rows_of_a_group(void **state) {
  crd__clamp_spread once = { 0 }, often = { 0 };
  (void)state;
  for (size_t g = 0; g < 20; g++) {
    const double e = crd__random_normal(1, 2, g);
    crd__clamp_spread_add(&once, e, 1);
    crd__clamp_spread_add(&often, 7 * e, 7);
  }
  assert_true(near(crd__clamp_spread_mean(&once), crd__clamp_spread_mean(&often), 1e-14));
  assert_true(near(crd__clamp_spread_error(&once), crd__clamp_spread_error(&often), 1e-14));
  crd__clamp_spread_add(&often, 0, 0);
  assert_int_equal(often.units, 20);
}

static void one_group_says_nothing(void **state) {
  crd__clamp_spread spread = { 0 };
  (void)state;
  crd__clamp_spread_add(&spread, 1, 1);
  assert_true(isinf(crd__clamp_spread_error(&spread)));
}

int main(void) {
  const struct CMUnitTest tests[] = { TEST(rows_without_groups_are_units), TEST(groups_are_units),
                                      TEST(single_rows), TEST(equal_rows_of_a_group),
                                      TEST(one_group_says_nothing) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

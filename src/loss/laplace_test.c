/* laplace_test.c -- mmce and mmce-weighted against sums over all pairs. */
#include "whole_test.h"

static const double bandwidth = 0.15;

/* The kernel has a kink at c_i = c_j, where its derivative is 0 by definition: equal rows have the
 * constant 1. */
static double all_pairs(const sample *s, const double *u) {
  double c[MOST_ROWS], sum = 0;
  for (size_t i = 0; i < s->rows; i++) c[i] = see(s, i).c;
  for (size_t i = 0; i < s->rows; i++)
    for (size_t j = 0; j < s->rows; j++)
      sum += u[i] * u[j] * (s->like[i] == s->like[j] ? 1 : exp(-fabs(c[i] - c[j]) / bandwidth));
  return sqrt(sum + 1e-12);
}

static double plain(const sample *s) {
  double u[MOST_ROWS];
  for (size_t i = 0; i < s->rows; i++) {
    const seen row = see(s, i);
    u[i] = row.w * (row.a - row.c);
  }
  return all_pairs(s, u);
}

static double plain_weighted(const sample *s) {
  double u[MOST_ROWS], right = 0, wrong = 0;
  for (size_t i = 0; i < s->rows; i++) {
    const seen row = see(s, i);
    right += row.w * row.a;
    wrong += row.w * (1 - row.a);
  }
  if (right == 0 || wrong == 0) return 0;
  for (size_t i = 0; i < s->rows; i++) {
    const seen row = see(s, i);
    u[i] = row.w * (row.a * (1 - row.c) / right - (1 - row.a) * row.c / wrong);
  }
  return all_pairs(s, u);
}

static void mmce_is_its_definition(void **state) {
  check_samples(*state, "mmce(bandwidth=0.15)", plain);
}

static void weighted_is_its_definition(void **state) {
  check_samples(*state, "mmce-weighted(bandwidth=0.15)", plain_weighted);
}

/* All rows correct with confidence 1: the root of 1e-12, and gradient 0. */
static void sure_rows_rest(void **state) {
  double gradient[4] = { 0 };
  const sample s = {
    .rows = 2, .classes = 2, .z = { 1e4, -1e4, -1e4, 1e4 }, .y = { 0, 1 }, .weight = { 1, 1 }
  };
  assert_true(evaluate(*state, "mmce", &s, gradient).value == 1e-6);
  for (size_t i = 0; i < 4; i++) assert_true(gradient[i] == 0);
  assert_true(evaluate(*state, "mmce-weighted", &s, gradient).value == 0);
  for (size_t i = 0; i < 4; i++) assert_true(gradient[i] == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(mmce_is_its_definition),
                                      cmocka_unit_test(weighted_is_its_definition),
                                      cmocka_unit_test(sure_rows_rest) };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

/* dual_focal_test.c -- the choice of the next class. */
#include "losses.h"

#include <math.h>

/* Expects the formula's value and gradient for the given next class; `next` = `y`: none. */
static void expect_next(crd_context *ctx, const double z[4], int64_t y, size_t next) {
  const double gamma = 5;
  double p[4], g[4], mass = 0;
  for (size_t k = 0; k < 4; k++) mass += exp(z[k]);
  for (size_t k = 0; k < 4; k++) p[k] = exp(z[k]) / mass;
  const size_t label = (size_t)y;
  const double other = next == label ? 0 : p[next], s = 1 - p[label] + other;
  const double pull = -gamma * pow(s, gamma - 1) * log(p[label]);
  const double value = loss_of(ctx, "dual-focal", NULL, (small_batch){ .rows = 1, 4, z, &y }, g);
  assert_true(near(value, -pow(s, gamma) * log(p[label]), 1e-14));
  for (size_t k = 0; k < 4; k++)
    assert_true(near(g[k],
                     pull * other * ((k == next) - p[k]) -
                         (pull * p[label] + pow(s, gamma)) * ((k == label) - p[k]),
                     1e-14));
}

static void next_class_is_the_best_below(void **state) {
  expect_next(*state, (const double[]){ 1, 3, 2, 0 }, 1, 2); /* the label is the predicted class */
  expect_next(*state, (const double[]){ 1, 3, 2, 0 }, 2,
              0); /* the label is not the predicted class */
  expect_next(*state, (const double[]){ 1, 3, 2, 0 }, 3,
              3); /* the label is the least probable: none */
}

static void equals_are_not_below(void **state) {
  expect_next(*state, (const double[]){ 2, 2, 2, 1 }, 1, 3);
  expect_next(*state, (const double[]){ 1, 1, 1, 1 }, 2, 2);
  expect_next(*state, (const double[]){ 1, 2, 1, 0 }, 1, 0); /* ties: the lowest index */
  expect_next(*state, (const double[]){ 0, 1, 2, 1 }, 2, 1);
}

/* Below in the logits, equal after rounding of the probabilities. */
static void logits_tell_what_is_below(void **state) {
  const double z[2] = { 1e-17, 0 };
  const int64_t y = 0;
  double g[2];
  const double value = loss_of(*state, "dual-focal", NULL, (small_batch){ .rows = 1, 2, z, &y }, g);
  assert_true(near(value, log(2), 1e-14)); /* s = 1 */
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(next_class_is_the_best_below),
    cmocka_unit_test(equals_are_not_below),
    cmocka_unit_test(logits_tell_what_is_below),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

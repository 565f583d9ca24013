/* focal_test.c -- rows with p near 1 and equal to 1, for gamma below 1 too. */
#include "losses.h"

#include <math.h>
#include <stdio.h>

/* 1 - p = q: l = q^(1+g), dl/dz_y = -(1+g) q^(1+g), as q -> 0. */
static void small_rests_keep_their_digits(void **state) {
  static const double gammas[] = { 0.05, 0.5, 0.95, 1, 3 };
  for (size_t i = 0; i < sizeof gammas / sizeof *gammas; i++) {
    const double z[3] = { 60, 0, -1 }, q = exp(-60) + exp(-61), g = gammas[i];
    const int64_t label = 0;
    double gradient[3];
    char text[40];
    snprintf(text, sizeof text, "focal(gamma=%g)", g);
    const double value =
        loss_of(*state, text, NULL, (small_batch){ .rows = 1, 3, z, &label }, gradient);
    assert_true(fabs(value / pow(q, 1 + g) - 1) < 1e-12);
    assert_true(fabs(gradient[0] / (-(1 + g) * pow(q, 1 + g)) - 1) < 1e-12);
    assert_true(fabs(gradient[1] / ((1 + g) * pow(q, g) * exp(-60)) - 1) < 1e-12);
  }
}

static void nothing_missing_pulls_nothing(void **state) {
  const double z[3] = { 1e4, 0, -1e4 };
  const int64_t label = 0;
  const small_batch row = { .rows = 1, 3, z, &label };
  static const char *const all[] = { "focal(gamma=0.5)", "focal(gamma=0.5,detach=yes)", "focal",
                                     "focal-sd", "dual-focal(gamma=0.5)" };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    double gradient[3] = { 7, 7, 7 };
    assert_true(loss_of(*state, all[i], NULL, row, gradient) == 0);
    for (size_t k = 0; k < 3; k++) assert_true(gradient[k] == 0);
  }
}

/* At p = 0 it is cross-entropy. */
static void all_missing_pulls_like_ce(void **state) {
  const double z[3] = { 1e4, 0, -1e4 };
  const int64_t label = 2;
  const small_batch row = { .rows = 1, 3, z, &label };
  double gradient[3];
  assert_true(loss_of(*state, "focal", NULL, row, gradient) == 2e4);
  assert_true(gradient[0] == 1 && gradient[1] == 0 && gradient[2] == -1);
}

/* The same where log p is -inf. */
static void logits_without_difference(void **state) {
  static const char *const all[] = { "ce",       "focal",      "focal(gamma=0.5)",
                                     "focal-sd", "dual-focal", "inverse-focal" };
  const double z[3] = { 1.6e308, -1.6e308, -1.7e308 };
  const int64_t label = 1;
  const small_batch row = { .rows = 1, 3, z, &label };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    double gradient[3];
    assert_true(isinf(loss_of(*state, all[i], NULL, row, gradient)));
    assert_true(gradient[0] == 1 && gradient[1] == -1 && gradient[2] == 0);
  }
}

static void gamma_zero_is_ce(void **state) {
  const double z[3] = { 800, 0, -1 }; /* 1 - p is 0 */
  const int64_t label = 0;
  const small_batch row = { .rows = 1, 3, z, &label };
  double a[3], b[3];
  assert_true(loss_of(*state, "focal(gamma=0)", NULL, row, a) ==
              loss_of(*state, "ce", NULL, row, b));
  assert_memory_equal(a, b, sizeof a);
}

/* gamma changes at p = 0.2, which itself is above. */
static void gamma_of_the_sample_changes_at_a_fifth(void **state) {
  const double edge[5] = { 0, 0, 0, 0, 0 }, below[5] = { -1e-9, 0, 0, 0, 0 };
  const int64_t label = 0;
  const small_batch at = { .rows = 1, 5, edge, &label }, under = { .rows = 1, 5, below, &label };
  double a[5], b[5];
  assert_true(loss_of(*state, "focal-sd", NULL, at, a) ==
              loss_of(*state, "focal(gamma=3)", NULL, at, b));
  assert_memory_equal(a, b, sizeof a);
  assert_true(loss_of(*state, "focal-sd", NULL, under, a) ==
              loss_of(*state, "focal(gamma=5)", NULL, under, b));
  assert_memory_equal(a, b, sizeof a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(small_rests_keep_their_digits),
    cmocka_unit_test(nothing_missing_pulls_nothing),
    cmocka_unit_test(all_missing_pulls_like_ce),
    cmocka_unit_test(logits_without_difference),
    cmocka_unit_test(gamma_zero_is_ce),
    cmocka_unit_test(gamma_of_the_sample_changes_at_a_fifth),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

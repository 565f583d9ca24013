/* start_test.c -- where delta begins: formulas in plain loops, ranges, seeds. */
#include "clamp/testing.h"

static const crd_clamp_summary *fit(crd_context *ctx, scene *s, const char *settings,
                                    crd_clamp **out) {
  *out = fit_with(ctx, s, settings);
  return crd_clamp_describe(*out);
}

/* Theorem 3.2: up to the valid range, in the direction of growing entropy. */
static void entropy_grows_up_to_the_range(void **state) {
  static const double h = 1e-5;
  static scene s;
  crd_clamp *clamp;
  double delta[INPUTS], gain = 0;
  for (size_t i = 0; i < 2; i++) {
    open_scene(*state, &(plan){ .sharpness = 0.4, .weighted = i > 0 }, &s);
    const crd_clamp_summary *const found = fit(*state, &s, "start=entropy,fit=temperature", &clamp);
    gain = 0;
    for (size_t k = 0; k < INPUTS; k++) {
      double up[INPUTS] = { 0 }, down[INPUTS] = { 0 }, least = 9, most = -9;
      up[k] = h;
      down[k] = -h;
      const double g = (plain_entropy(&s, up, 1) - plain_entropy(&s, down, 1)) / (2 * h);
      for (size_t r = 0; r < ROWS; r++) {
        least = fmin(least, s.samples.inputs[r * INPUTS + k]);
        most = fmax(most, s.samples.inputs[r * INPUTS + k]);
      }
      delta[k] = g > 0 ? 1 - most : -least;
      assert_true(fabs(g) > 1e-3 && fabs(delta[k]) > 0.15);
      gain += g * delta[k];
      assert_true(fabs(found->delta[k] - delta[k]) < 1e-6);
    }
    assert_true(near(found->predicted_gain, gain, 1e-5));
    assert_true(
        near(found->measured_gain, plain_entropy(&s, delta, 1) - plain_entropy(&s, NULL, 1), 1e-5));
    assert_true(s.net.least > -1e-6F && s.net.most < 1 + 1e-6F);
    crd_clamp_destroy(clamp);
    close_scene(&s);
  }
}

/* Inputs that reach both ends of the range, or lie beyond it, cannot be moved. */
static void full_ranges_leave_nothing(void **state) {
  static scene s;
  crd_clamp *clamp;
  open_scene(*state, &(plan){ .sharpness = 0.4 }, &s);
  const crd_clamp_summary *const found =
      fit(*state, &s, "start=entropy,fit=temperature,low=0.3,high=0.7", &clamp);
  assert_true(found->delta_norm == 0 && found->predicted_gain == 0);
  assert_true(fabs(found->measured_gain) == 0);
  crd_clamp_destroy(clamp);
  close_scene(&s);
}

/* In the space of normalised inputs, the range is that of the normalised ends. */
static void ranges_follow_the_encoding(void **state) {
  static scene s;
  crd_encoding *encoding;
  crd_clamp *clamp;
  open_scene(*state, &(plan){ .sharpness = 0.4 }, &s);
  WORKS(*state, crd_encoding_learn(*state, s.data, NULL, &encoding));
  assert_int_equal(encoding->channels, INPUTS);
  const crd_clamp_options options = { .size = sizeof options,
                                      .settings = "start=entropy,fit=temperature",
                                      .encoding = encoding };
  WORKS(*state, crd_clamp_fit(*state, s.network, s.data, &options, &clamp));
  const crd_clamp_summary *const found = crd_clamp_describe(clamp);
  for (size_t k = 0; k < INPUTS; k++) {
    double least = 9, most = -9;
    for (size_t r = 0; r < ROWS; r++) {
      least = fmin(least, s.samples.inputs[r * INPUTS + k]);
      most = fmax(most, s.samples.inputs[r * INPUTS + k]);
    }
    const double step = found->delta[k] > 0 ? 1 - most : -least;
    assert_true(near(found->delta[k], step / encoding->std[k], 1e-4));
  }
  assert_int_equal(found->channels, INPUTS);
  assert_memory_equal(found->mean, encoding->mean, INPUTS * sizeof(double));
  assert_memory_equal(found->std, encoding->std, INPUTS * sizeof(double));
  crd_clamp_destroy(clamp);
  crd_encoding_destroy(encoding);
  close_scene(&s);
}

/* As the authors' code: the mean gradient of the sum of all logits itself. */
static void logits_give_their_gradient(void **state) {
  static const double h = 1e-4;
  static scene s;
  crd_clamp *clamp;
  open_scene(*state, &(plan){ .sharpness = 0.4 }, &s);
  const crd_clamp_summary *const found = fit(*state, &s, "start=logits,fit=temperature", &clamp);
  for (size_t k = 0; k < INPUTS; k++) {
    double up[INPUTS] = { 0 }, down[INPUTS] = { 0 };
    up[k] = h;
    down[k] = -h;
    assert_true(
        near(found->delta[k], (plain_sum(&s, up, 1) - plain_sum(&s, down, 1)) / (2 * h), 1e-5));
  }
  assert_true(isnan(found->predicted_gain) && isnan(found->measured_gain));
  crd_clamp_destroy(clamp);
  close_scene(&s);
}

static void random_starts_depend_on_the_seed_alone(void **state) {
  static scene s;
  crd_clamp *one, *two, *other;
  open_scene(*state, &(plan){ .sharpness = 0.4 }, &s);
  const crd_clamp_summary *const a =
      fit(*state, &s, "start=random,spread=0.5,fit=temperature", &one);
  close_scene(&s);
  open_scene(*state, &(plan){ .sharpness = 2, .weighted = true, .linear = true, .rows = 50 }, &s);
  const crd_clamp_summary *const b =
      fit(*state, &s, "start=random,spread=0.25,fit=temperature,gamma=1", &two);
  for (size_t k = 0; k < INPUTS; k++) assert_true(a->delta[k] == 2 * b->delta[k]);
  assert_true(a->delta_norm > 0.3 && a->delta_norm < 5);
  crd_context_set_seed(*state, 12345);
  const crd_clamp_summary *const c =
      fit(*state, &s, "start=random,spread=0.5,fit=temperature", &other);
  for (size_t k = 0; k < INPUTS; k++) assert_true(a->delta[k] != c->delta[k]);
  crd_clamp_destroy(one);
  crd_clamp_destroy(two);
  crd_clamp_destroy(other);
  close_scene(&s);
}

/* Delta stays, T is the best for the logits there. */
static void the_temperature_alone(void **state) {
  static scene s;
  crd_clamp *clamp;
  open_scene(*state, &(plan){ .sharpness = 0.4 }, &s);
  const crd_clamp_summary *const found =
      fit(*state, &s, "start=random,spread=0.3,fit=temperature,gamma=1", &clamp);
  double delta[INPUTS];
  for (size_t k = 0; k < INPUTS; k++) delta[k] = found->delta[k];
  const double best = plain_loss(&s, 1, delta, found->temperature);
  assert_true(best < plain_loss(&s, 1, delta, found->temperature * 1.01));
  assert_true(best < plain_loss(&s, 1, delta, found->temperature / 1.01));
  assert_true(near(found->objective, best, 1e-6) && found->lambda == 0 && found->weight == 0);
  assert_true(found->candidate_count == 0 && found->passes == 3);
  crd_clamp_destroy(clamp);
  close_scene(&s);
}

/* The loss at the start is what lambda is a multiple of. */
static void weights_are_multiples_of_the_initial_loss(void **state) {
  static scene s;
  crd_clamp *start, *clamp;
  double delta[INPUTS];
  open_scene(*state, &(plan){ .sharpness = 0.4 }, &s);
  const crd_clamp_summary *found = fit(*state, &s, "start=random,spread=1,fit=temperature", &start);
  for (size_t k = 0; k < INPUTS; k++) delta[k] = found->delta[k];
  found = fit(*state, &s, "start=random,spread=1,lambda=0.5,gamma=1", &clamp);
  assert_true(near(found->weight, 0.5 * plain_loss(&s, 1, delta, 1), 1e-6));
  crd_clamp_destroy(clamp);
  found = fit(*state, &s, "lambda=0.5,gamma=1", &clamp);
  assert_true(near(found->weight, 0.5 * plain_loss(&s, 1, NULL, 1), 1e-6));
  crd_clamp_destroy(clamp);
  found = fit(*state, &s, "lambda=0.5,unit=one", &clamp);
  assert_true(found->weight == 0.5);
  crd_clamp_destroy(clamp);
  found = fit(*state, &s, "lambda=0.5,unit=one,reduction=sum", &clamp);
  assert_true(found->weight == 0.5 / ROWS);
  crd_clamp_destroy(clamp);
  crd_clamp_destroy(start);
  close_scene(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = { TEST(entropy_grows_up_to_the_range),
                                      TEST(full_ranges_leave_nothing),
                                      TEST(ranges_follow_the_encoding),
                                      TEST(logits_give_their_gradient),
                                      TEST(random_starts_depend_on_the_seed_alone),
                                      TEST(the_temperature_alone),
                                      TEST(weights_are_multiples_of_the_initial_loss) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

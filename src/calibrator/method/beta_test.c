/* beta_test.c -- the optimality conditions, which suffice because the problem is convex. */
#include "support.h"

#include <math.h>
#include <stdio.h>

enum { ROWS = 400 };

typedef struct {
  double confidence[ROWS], weights[ROWS];
  unsigned char correct[ROWS];
} sample;

/* Confidences across (0, 1); correct with probability rule(confidence), by a fixed sequence. */
static sample draw(double (*rule)(double)) {
  sample s;
  for (size_t i = 0; i < ROWS; i++) {
    s.confidence[i] = (double)(i * 197 % ROWS + 1) / (ROWS + 2);
    s.correct[i] = (double)(i * 61 % 97) / 97 < rule(s.confidence[i]);
    s.weights[i] = (double)(i % 4);
  }
  return s;
}

static test_pairs pairs_of(const sample *s) {
  return (test_pairs){ ROWS, s->confidence, s->correct, s->weights };
}

static double learnt(const crd_calibrator *c, size_t index) {
  return crd_calibrator_learnt(c, index)->values[0];
}

/* Mean derivatives of the negative log-likelihood with respect to a, b and c. */
static void slopes(const sample *s, const crd_calibrator *cal, double out[3]) {
  const double a = learnt(cal, 0), b = learnt(cal, 1), c = learnt(cal, 2);
  double mass = 0;
  out[0] = out[1] = out[2] = 0;
  for (size_t i = 0; i < ROWS; i++) {
    const double p = s->confidence[i], x[3] = { log(p), -log(1 - p), 1 };
    const double q = 1 / (1 + exp(-(a * x[0] + b * x[1] + c)));
    for (size_t j = 0; j < 3; j++) out[j] += s->weights[i] * (q - s->correct[i]) * x[j];
    mass += s->weights[i];
  }
  for (size_t j = 0; j < 3; j++) out[j] /= mass;
}

/* At the bound 0 the loss must not decrease inwards; inside the derivative must be 0. */
static void check_bounded(double value, double slope) {
  assert_true(value >= 0);
  if (value > 0) assert_true(fabs(slope) < 1e-8);
  else assert_true(slope > -1e-8);
}

static double rising(double p) { return .1 + .8 * p * p; }
static double falling(double p) { return .9 - .8 * p; }
static double hump(double p) { return p < .3 ? .2 + p : .5; }
static double late(double p) { return p < .8 ? .4 : 2 * p - 1.2; }
static double hook(double p) { return p < .8 ? .5 - .2 * p : .95; } /* free: a < 0, a alone: > 0 */
static double dip(double p) { return p < .5 ? .9 - p : .4; }

static void optimum_is_one(void **state) {
  static double (*const rules[])(double) = { rising, falling, hump, late, hook, dip };
  bool bound[3] = { false };
  for (size_t r = 0; r < sizeof rules / sizeof *rules; r++) {
    const sample s = draw(rules[r]);
    double by[3];
    crd_calibrator *c = fit_pairs(*state, "beta", NULL, pairs_of(&s));
    slopes(&s, c, by);
    assert_false(crd_calibrator_certificate(c)->separable);
    check_bounded(learnt(c, 0), by[0]);
    check_bounded(learnt(c, 1), by[1]);
    assert_true(fabs(by[2]) < 1e-8);
    bound[0] |= learnt(c, 0) == 0 && learnt(c, 1) > 0;
    bound[1] |= learnt(c, 1) == 0 && learnt(c, 0) > 0;
    bound[2] |= learnt(c, 0) == 0 && learnt(c, 1) == 0;
    assert_int_equal(*crd_calibrator_certificate(c)->bounds != 0,
                     learnt(c, 0) == 0 || learnt(c, 1) == 0);
    crd_calibrator_destroy(c);
    c = fit_pairs(*state, "beta", "variant=ab", pairs_of(&s));
    slopes(&s, c, by);
    check_bounded(learnt(c, 0), by[0]);
    check_bounded(learnt(c, 1), by[1]);
    assert_true(learnt(c, 2) == 0);
    crd_calibrator_destroy(c);
    c = fit_pairs(*state, "beta", "variant=am", pairs_of(&s));
    slopes(&s, c, by);
    check_bounded(learnt(c, 0), by[0] + by[1]);
    assert_true(same_bits(learnt(c, 0), learnt(c, 1)));
    assert_true(fabs(by[2]) < 1e-8);
    crd_calibrator_destroy(c);
  }
  assert_true(bound[0] && bound[1] && bound[2]); /* the cases reach every bound */
}

static void one_slope_is_platt(void **state) {
  const sample s = draw(rising);
  crd_calibrator *const beta = fit_pairs(*state, "beta", "variant=am", pairs_of(&s));
  crd_calibrator *const platt = fit_pairs(*state, "platt", "targets=plain", pairs_of(&s));
  for (size_t i = 1; i < 20; i++) {
    const double p = (double)i / 20;
    assert_true(near(calibrated(*state, beta, p), calibrated(*state, platt, p), 1e-9));
  }
  crd_calibrator_destroy(beta);
  crd_calibrator_destroy(platt);
}

static void hopeless_events_have_answers(void **state) {
  static const double p[4] = { .1, .2, .7, .9 };
  crd_calibrator *c = fit_pairs(*state, "beta", NULL,
                                (test_pairs){ 4, p, (const unsigned char[]){ 0, 0, 0, 0 }, NULL });
  assert_true(near(calibrated(*state, c, .5), 1. / 6, 1e-12));
  assert_true(crd_calibrator_certificate(c)->separable);
  crd_calibrator_destroy(c);
  c = fit_pairs(*state, "beta", NULL,
                (test_pairs){ 4, p, (const unsigned char[]){ 0, 0, 1, 1 }, NULL });
  assert_true(crd_calibrator_certificate(c)->separable);
  assert_true(crd_calibrator_certificate(c)->converged);
  assert_true(calibrated(*state, c, .2) < 1e-6 && calibrated(*state, c, .7) > 1 - 1e-6);
  crd_calibrator_destroy(c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(optimum_is_one),
    cmocka_unit_test(one_slope_is_platt),
    cmocka_unit_test(hopeless_events_have_answers),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

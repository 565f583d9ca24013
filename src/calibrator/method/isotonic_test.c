/* isotonic_test.c -- compared with the definition: max over left ends of min over right ends of
 * means. */
#include "support.h"

#include <math.h>

enum { ROWS = 120 };

typedef struct {
  double confidence[ROWS], weights[ROWS];
  unsigned char correct[ROWS];
} sample;

/* `distinct` confidences, in no order; weights 0 .. 3, with rows of weight 0 that would matter. */
static sample draw(size_t distinct) {
  sample s;
  for (size_t i = 0; i < ROWS; i++) {
    s.confidence[i] = (double)(i * 37 % distinct + 1) / (double)(distinct + 1);
    s.weights[i] = (double)(i * 7 % 4);
    s.correct[i] =
        s.weights[i] > 0 ? (double)(i * 29 % 31) / 31 < s.confidence[i] : (unsigned char)(i % 2);
  }
  return s;
}

/* Returns the weighted frequency of events over confidences in low .. high; NaN without weight. */
static double mean(const sample *s, double low, double high) {
  double weight = 0, hits = 0;
  for (size_t i = 0; i < ROWS; i++)
    if (s->confidence[i] >= low && s->confidence[i] <= high) {
      weight += s->weights[i];
      hits += s->weights[i] * s->correct[i];
    }
  return hits / weight;
}

/* The value of isotonic regression at a confidence of the sample. */
static double slow_value(const sample *s, double at) {
  double most = -1;
  for (size_t l = 0; l < ROWS; l++) {
    double least = 2;
    if (!(s->confidence[l] <= at) || !(s->weights[l] > 0)) continue;
    for (size_t r = 0; r < ROWS; r++)
      if (s->confidence[r] >= at && s->weights[r] > 0)
        least = fmin(least, mean(s, s->confidence[l], s->confidence[r]));
    most = fmax(most, least);
  }
  return most;
}

/* Returns the nearest confidence with positive weight at or below (direction -1), or at or above
 * (+1). */
static double neighbour(const sample *s, double at, int direction) {
  double best = direction * (double)INFINITY;
  for (size_t i = 0; i < ROWS; i++)
    if (s->weights[i] > 0 && direction * (s->confidence[i] - at) >= 0)
      best = direction < 0 ? fmax(best, s->confidence[i]) : fmin(best, s->confidence[i]);
  return best;
}

static double slow_between(const sample *s, double at, bool steps) {
  const double low = neighbour(s, at, -1), high = neighbour(s, at, 1);
  if (isinf(low)) return slow_value(s, high);
  if (isinf(high) || low == high || steps) return slow_value(s, low);
  const double a = slow_value(s, low), b = slow_value(s, high);
  return a + (b - a) * (at - low) / (high - low);
}

static void is_what_the_definition_says(void **state) {
  static const size_t distinct[] = { 1, 2, 7, 40, ROWS };
  for (size_t d = 0; d < sizeof distinct / sizeof *distinct; d++) {
    const sample s = draw(distinct[d]);
    const test_pairs pairs = { ROWS, s.confidence, s.correct, s.weights };
    for (size_t steps = 0; steps < 2; steps++) {
      crd_calibrator *const c =
          fit_pairs(*state, "isotonic", steps ? "interpolation=step" : NULL, pairs);
      for (size_t i = 0; i < 46; i++) {
        const double at = .0171 + .0213 * (double)i;
        assert_true(near(calibrated(*state, c, at), slow_between(&s, at, steps), 1e-12));
      }
      for (size_t i = 0; i < ROWS; i++)
        if (s.weights[i] > 0)
          assert_true(
              near(calibrated(*state, c, s.confidence[i]), slow_value(&s, s.confidence[i]), 1e-12));
      crd_calibrator_destroy(c);
    }
  }
}

/* Squared error per row, as the certificate has it. */
static void objective_is_the_squared_error(void **state) {
  const sample s = draw(40);
  crd_calibrator *const c =
      fit_pairs(*state, "isotonic", NULL, (test_pairs){ ROWS, s.confidence, s.correct, s.weights });
  double sum = 0, weight = 0;
  for (size_t i = 0; i < ROWS; i++) {
    const double gap = s.correct[i] - calibrated(*state, c, s.confidence[i]);
    sum += s.weights[i] * gap * gap;
    weight += s.weights[i];
  }
  assert_true(near(crd_calibrator_certificate(c)->objective, sum / weight, 1e-12));
  crd_calibrator_destroy(c);
}

static void falling_data_give_one_block(void **state) {
  static const double p[5] = { .1, .2, .3, .4, .5 };
  crd_calibrator *const c =
      fit_pairs(*state, "isotonic", NULL,
                (test_pairs){ 5, p, (const unsigned char[]){ 1, 1, 0, 0, 0 }, NULL });
  const crd_learnt *const y = crd_calibrator_learnt(c, 1);
  assert_int_equal(y->start[1], 2); /* both ends of the block, no more */
  assert_true(same_bits(y->values[0], .4) && same_bits(y->values[1], .4));
  crd_calibrator_destroy(c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(is_what_the_definition_says),
    cmocka_unit_test(objective_is_the_squared_error),
    cmocka_unit_test(falling_data_give_one_block),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

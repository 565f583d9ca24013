/* venn_abers_test.c -- compared with isotonic regression recomputed for each row, by its
 * definition. */
#include "support.h"

#include <math.h>

enum { ROWS = 40, PLACES = 120 };

/* The rows, and space for one more. */
typedef struct {
  size_t rows;
  double x[ROWS + 1], weight[ROWS + 1], hit[ROWS + 1];
} sample;

static sample draw(size_t distinct, bool weighted) {
  sample s = { .rows = ROWS };
  double sum = 0;
  for (size_t i = 0; i < ROWS; i++) {
    s.x[i] = (double)(i * 37 % distinct + 1) / (double)(distinct + 1);
    s.hit[i] = (double)(i * 29 % 31) / 31 < s.x[i];
    sum += s.weight[i] = weighted ? (double)(i * 7 % 4 + 1) : 1;
  }
  for (size_t i = 0; i < ROWS; i++) s.weight[i] *= ROWS / sum; /* a new row has the mean weight */
  return s;
}

static double mean(const sample *s, double low, double high) {
  double weight = 0, hits = 0;
  for (size_t i = 0; i < s->rows; i++)
    if (s->x[i] >= low && s->x[i] <= high) {
      weight += s->weight[i];
      hits += s->weight[i] * s->hit[i];
    }
  return hits / weight;
}

static double slow_value(sample s, double at, double label) {
  double most = -1;
  s.x[s.rows] = at;
  s.weight[s.rows] = 1;
  s.hit[s.rows++] = label;
  for (size_t l = 0; l < s.rows; l++) {
    double least = 2;
    for (size_t r = 0; r < s.rows && s.x[l] <= at; r++)
      if (s.x[r] >= at) least = fmin(least, mean(&s, s.x[l], s.x[r]));
    if (s.x[l] <= at) most = fmax(most, least);
  }
  return most;
}

static void is_what_the_definition_says(void **state) {
  static const size_t distinct[] = { 1, 2, 7, ROWS };
  for (size_t d = 0; d < 8; d++) {
    const sample s = draw(distinct[d % 4], d >= 4);
    unsigned char correct[ROWS];
    for (size_t i = 0; i < ROWS; i++) correct[i] = s.hit[i] > 0;
    crd_calibrator *const c =
        fit_pairs(*state, "venn-abers", NULL, (test_pairs){ ROWS, s.x, correct, s.weight });
    for (size_t i = 0; i < PLACES; i++) { /* rows of the sample, and others */
      const double at = i < ROWS ? s.x[i] : (double)(i - ROWS) / (PLACES - ROWS) + .0013;
      const double p0 = slow_value(s, at, 0), p1 = slow_value(s, at, 1);
      assert_true(p0 <= p1);
      assert_true(near(calibrated(*state, c, at), p1 / (1 - p0 + p1), 1e-12));
    }
    crd_calibrator_destroy(c);
  }
}

/* Two correct rows with the same score: p1 = 1; p0 = 2/3 at or above it, and 0 below. */
static void one_score(void **state) {
  static const double p[2] = { .7, .7 };
  static const unsigned char correct[2] = { 1, 1 };
  crd_calibrator *const c =
      fit_pairs(*state, "venn-abers", NULL, (test_pairs){ 2, p, correct, NULL });
  assert_true(near(calibrated(*state, c, .7), 3. / 4, 1e-12));
  assert_true(near(calibrated(*state, c, .9), 3. / 4, 1e-12));
  assert_true(near(calibrated(*state, c, .2), 1. / 2, 1e-12));
  crd_calibrator_destroy(c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(is_what_the_definition_says),
    cmocka_unit_test(one_score),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

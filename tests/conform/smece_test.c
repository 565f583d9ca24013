/* smece_test.c -- small errors, which need many cosine terms: the search finds the root. */
#include "ref/metrics.h"
#include "support.h"

#include <math.h>

enum { LEVELS = 40 };

/* Measures smECE on two rows, correct and incorrect, at each of 40 confidences between 0.5 and
 * 0.95, weighted so that the accuracy there is the confidence plus error(level). */
static double measure(crd_context *ctx, double (*error)(size_t level), double *reference) {
  double scores[4 * LEVELS] = { 0 }, weights[2 * LEVELS];
  int64_t labels[2 * LEVELS];
  for (size_t i = 0; i < 2 * LEVELS; i++) {
    const double c = 0.5 + 0.45 * ((double)(i / 2) + 0.5) / LEVELS, a = c + error(i / 2);
    scores[2 * i + 1] = log(c / (1 - c));
    labels[i] = (int64_t)(i % 2);
    weights[i] = i % 2 ? a : 1 - a;
  }
  const test_data data = {
    .rows = 2 * LEVELS, .classes = 2, .scores = scores, .labels = labels, .weights = weights
  };
  crd_predictions *const p = data_predictions(ctx, &data, 0, data.rows);
  const crd_result *result = NULL;
  assert_int_equal(crd_evaluate(ctx, p,
                                &(crd_evaluate_options){ .size = sizeof(crd_evaluate_options),
                                                         .metrics = "smece" },
                                &result),
                   CRD_OK);
  const double value = result->values[0].value;
  crd_result_destroy(result);
  crd_predictions_destroy(p);
  *reference = ref_metric("smece", &data, 15);
  return value;
}

static double none(size_t level) {
  (void)level;
  return 0;
}
static double swinging(size_t level) { return level % 16 < 8 ? 0.02 : -0.02; }
static double swinging_little(size_t level) { return level % 8 < 4 ? 0.004 : -0.0041; }
static double swinging_least(size_t level) { return level % 8 < 4 ? 0.0005 : -0.0005; }
static double shifted(size_t level) {
  (void)level;
  return -0.002;
}

static void small_errors_are_found(void **state) {
  double (*const errors[])(size_t) = { swinging, swinging_little, swinging_least, shifted };
  static const double low[] = { 0.01, 0.002, 0.0004, 0.00199 };
  static const double high[] = { 0.02, 0.004, 0.0005, 0.00201 };
  for (size_t i = 0; i < 4; i++) {
    double expected;
    const double value = measure(*state, errors[i], &expected);
    if (!near(value, expected, 1e-11)) fail_msg("%zu: %.17g, not %.17g", i, value, expected);
    assert_true(value > low[i] && value < high[i]);
  }
}

static void calibrated_is_zero(void **state) {
  double expected;
  assert_true(measure(*state, none, &expected) < 1e-12);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(small_errors_are_found),
    cmocka_unit_test(calibrated_is_zero),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

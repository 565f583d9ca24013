/* interval_test.c -- intervals of proportions, for which resampling is not enough. */
#include "evaluate/interval.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>

static const double z_squared = 3.841458820694124;

/* Pairs; every `wrong_every`-th is incorrect (0: none), and less confident or more. */
typedef struct {
  size_t rows, wrong_every;
  double wrong_confidence;
  const double *weights; /* NULL: none */
} recipe;

static crd_evidence *gather(crd_context *ctx, recipe r, const crd_evaluate_options *options) {
  double *const confidence = calloc(r.rows, sizeof *confidence);
  unsigned char *const correct = calloc(r.rows, 1);
  crd_predictions *predictions = NULL;
  crd_evidence *evidence = NULL;
  for (size_t i = 0; i < r.rows; i++) {
    correct[i] = !r.wrong_every || i % r.wrong_every != 0;
    confidence[i] = correct[i] ? .9 + 1e-4 * (double)(i % 100) : r.wrong_confidence;
  }
  crd_predictions_parts parts = { .size = sizeof parts,
                                  .scores = crd_array_matrix(confidence, CRD_F64, r.rows, 1),
                                  .correct = crd_array_matrix(correct, CRD_U8, r.rows, 1),
                                  .input = CRD_INPUT_PAIRS };
  if (r.weights) parts.weights = crd_array_matrix(r.weights, CRD_F64, r.rows, 1);
  if (crd_predictions_create(ctx, &parts, &predictions) != CRD_OK ||
      crd_evidence_create(ctx, options, &evidence) != CRD_OK ||
      crd_evidence_add(ctx, evidence, predictions, 0) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  crd_predictions_destroy(predictions);
  free(confidence);
  free(correct);
  return evidence;
}

static crd_metric_value judge(crd_context *ctx, crd_evidence *evidence, const char *metric) {
  const crd_result *result = NULL;
  if (crd_evidence_judge(ctx, evidence, &result) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  const crd_metric_value *const found = crd_result_value(result, metric);
  assert_non_null(found);
  const crd_metric_value value = *found;
  crd_result_destroy(result);
  return value;
}

static crd_metric_value measure(crd_context *ctx, recipe r, const char *metric) {
  const crd_evaluate_options options = { .size = sizeof options,
                                         .metrics = metric,
                                         .resamples = 1000 };
  crd_evidence *const evidence = gather(ctx, r, &options);
  const crd_metric_value value = judge(ctx, evidence, metric);
  crd_evidence_destroy(evidence);
  return value;
}

static void all_right_is_not_certainty(void **state) {
  const crd_metric_value v = measure(*state, (recipe){ .rows = 500 }, "accuracy");
  assert_true(v.value == 1 && v.high == 1);
  assert_true(near(v.low, 500 / (500 + z_squared), 1e-12));
  assert_string_equal(v.interval, "wilson");
}

static void nor_is_all_wrong(void **state) {
  const recipe r = { .rows = 40, .wrong_every = 1, .wrong_confidence = .5 };
  const crd_metric_value v = measure(*state, r, "accuracy");
  assert_true(v.value == 0 && v.low == 0);
  assert_true(near(v.high, z_squared / (40 + z_squared), 1e-12));
}

/* Otherwise the two agree, within the precision of resampling. */
static void in_the_middle_it_is_the_bootstraps(void **state) {
  const recipe r = { .rows = 900, .wrong_every = 3, .wrong_confidence = .5 };
  const crd_metric_value v = measure(*state, r, "accuracy");
  const double deviation = sqrt(2.0 / 9 / 900);
  assert_true(near(v.high - v.low, 2 * 1.96 * deviation, 2e-3));
  assert_string_equal(v.interval, "wilson");
}

static void none_without_resamples(void **state) {
  const crd_evaluate_options options = { .size = sizeof options, .metrics = "accuracy" };
  crd_evidence *const evidence = gather(*state, (recipe){ .rows = 500 }, &options);
  const crd_metric_value v = judge(*state, evidence, "accuracy");
  assert_true(isnan(v.low) && isnan(v.high) && !v.interval);
  crd_evidence_destroy(evidence);
}

/* The effective sample size is (sum w)^2 / sum w^2, within the precision of 1000 resamples. */
static void weights_are_worth_fewer_rows(void **state) {
  enum { ROWS = 400 };
  double weights[ROWS], sum = 0, squares = 0;
  for (size_t i = 0; i < ROWS; i++) {
    weights[i] = i % 10 == 0 ? 20 : .5;
    sum += weights[i];
    squares += weights[i] * weights[i];
  }
  const crd_metric_value v =
      measure(*state, (recipe){ .rows = ROWS, .weights = weights }, "accuracy");
  const double rows = v.low * z_squared / (1 - v.low);
  assert_true(v.value == 1 && fabs(rows / (sum * sum / squares) - 1) < .15);
  for (size_t i = 0; i < ROWS; i++) weights[i] = 3;
  const crd_metric_value even =
      measure(*state, (recipe){ .rows = ROWS, .weights = weights }, "accuracy");
  const double most = even.low * z_squared / (1 - even.low);
  assert_true(most <= ROWS + 1e-6 && most > .85 * ROWS);
}

/* fpr95 is a proportion of the 20 incorrect rows: none of them, or all, exceed the threshold. */
static void a_share_of_wrong_rows(void **state) {
  recipe r = { .rows = 1000, .wrong_every = 50, .wrong_confidence = .5 };
  crd_metric_value v = measure(*state, r, "fpr95");
  assert_true(v.value == 0 && v.low == 0);
  assert_true(near(v.high, z_squared / (20 + z_squared), 1e-12));
  assert_string_equal(v.interval, "wilson-bootstrap");
  r.wrong_confidence = .95;
  v = measure(*state, r, "fpr95");
  assert_true(v.value == 1 && near(v.low, 20 / (20 + z_squared), 1e-12));
}

/* The threshold depends on the rows: where that dominates, the bootstrap interval is wider. */
static void the_threshold_moves_too(void **state) {
  const recipe r = { .rows = 1000, .wrong_every = 2, .wrong_confidence = .9005 };
  const crd_evaluate_options options = { .size = sizeof options,
                                         .metrics = "fpr95",
                                         .resamples = 1000 };
  crd_evidence *const evidence = gather(*state, r, &options);
  const crd_metric_value v = judge(*state, evidence, "fpr95");
  const double *values;
  double *const sorted = malloc(1000 * sizeof *sorted);
  assert_int_equal(crd__evaluate_resampled_values(*state, evidence, &values), CRD_OK);
  memcpy(sorted, values, 1000 * sizeof *sorted);
  const size_t count = crd__evaluate_sort_numbers(sorted, 1000);
  const double shift = crd__evaluate_quantile(sorted, count, .5) - v.value;
  assert_true(v.low <= crd__evaluate_quantile(sorted, count, .025) - shift);
  free(sorted);
  crd_evidence_destroy(evidence);
}

/* Metrics that are not proportions keep their bootstrap interval. */
static void means_keep_theirs(void **state) {
  const recipe r = { .rows = 300, .wrong_every = 4, .wrong_confidence = .6 };
  assert_null(measure(*state, r, "brier-top1").interval);
  assert_null(measure(*state, r, "auroc").interval);
}

/* ---- Differences. */

static crd_difference differ(crd_context *ctx, recipe a, recipe b, bool paired) {
  const crd_evaluate_options options = {
    .size = sizeof options, .metrics = "accuracy", .resamples = 200, .paired = paired
  };
  crd_evidence *const mine = gather(ctx, a, &options), *const other = gather(ctx, b, &options);
  const crd_comparison *comparison = NULL;
  if (crd_evidence_compare(ctx, mine, other, &comparison) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  const crd_difference d = comparison->items[0];
  crd_comparison_destroy(comparison);
  crd_evidence_destroy(mine);
  crd_evidence_destroy(other);
  return d;
}

/* Two models that are correct on all 500 rows may differ on further ones. */
static void both_right_may_differ(void **state) {
  const double bound = z_squared / (500 + z_squared);
  for (int paired = 0; paired < 2; paired++) {
    const crd_difference d =
        differ(*state, (recipe){ .rows = 500 }, (recipe){ .rows = 500 }, paired != 0);
    assert_true(d.value == 0 && near(d.low, -bound, 1e-12) && near(d.high, bound, 1e-12));
    assert_string_equal(d.interval, "tango");
  }
}

/* One side is incorrect on 5 rows: Tango's interval if the rows are known, else the bootstrap. */
static void rows_of_one_side(void **state) {
  const recipe right = { .rows = 500 }, some = { .rows = 500, .wrong_every = 100 };
  const crd_difference d = differ(*state, right, some, true);
  assert_true(near(d.value, -.01, 1e-12) && d.low < -.02 && d.high > -.005 && d.high < 0);
  assert_string_equal(d.interval, "tango");
  assert_null(differ(*state, right, some, false).interval);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(all_right_is_not_certainty),
    cmocka_unit_test(nor_is_all_wrong),
    cmocka_unit_test(in_the_middle_it_is_the_bootstraps),
    cmocka_unit_test(none_without_resamples),
    cmocka_unit_test(weights_are_worth_fewer_rows),
    cmocka_unit_test(a_share_of_wrong_rows),
    cmocka_unit_test(the_threshold_moves_too),
    cmocka_unit_test(means_keep_theirs),
    cmocka_unit_test(both_right_may_differ),
    cmocka_unit_test(rows_of_one_side),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

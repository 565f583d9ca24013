/* compare_test.c -- paired differences of two models, and errors. */
#include "support.h"

#include <math.h>
#include <string.h>

static const crd_evaluate_options everything = { .size = sizeof everything,
                                                 .metrics = "all",
                                                 .resamples = 60 };

static const crd_comparison *compare(crd_context *ctx, crd_evidence *a, crd_evidence *b) {
  const crd_comparison *comparison = NULL;
  if (crd_evidence_compare(ctx, a, b, &comparison) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  return comparison;
}

/* A second model that is better: the same rows, with the true class raised. */
static test_data better(const test_data *data, const test_recipe *recipe) {
  test_data raised = make_data(*recipe);
  memcpy(raised.labels, data->labels, data->rows * sizeof *data->labels);
  for (size_t i = 0; i < data->rows; i++)
    raised.scores[i * data->classes + (size_t)data->labels[i]] += 2;
  return raised;
}

static const test_recipe recipe = {
  .rows = 300, .classes = 3, .seed = 5, .spread = 1, .accuracy = .5
};

/* If none of 300 rows shows a difference, one of z^2 / (300 + z^2) is still possible. */
static const double half_width = 3.841458820694124 / 303.841458820694124;

static void nothing_differs_from_itself(void **state) {
  crd_context *const ctx = *state;
  test_data data = make_data(recipe);
  crd_evidence *const a = data_evidence(ctx, &data, 0, 300, &everything);
  crd_evidence *const b = data_evidence(ctx, &data, 0, 300, &everything);
  const crd_comparison *const same = compare(ctx, a, b);
  assert_int_equal(same->count, crd_metric_count());
  for (size_t i = 0; i < same->count; i++) {
    if (isnan(same->items[i].value)) continue;
    const double chance = strcmp(same->items[i].metric->name, "accuracy") == 0 ? half_width : 0;
    assert_true(same->items[i].value == 0 && same->items[i].p == 1);
    assert_true(near(same->items[i].low, -chance, 1e-12));
    assert_true(near(same->items[i].high, chance, 1e-12));
  }
  crd_comparison_destroy(same);
  crd_evidence_destroy(a);
  crd_evidence_destroy(b);
  free_data(&data);
}

static void a_better_model_is_better(void **state) {
  crd_context *const ctx = *state;
  test_data data = make_data(recipe), raised = better(&data, &recipe);
  crd_evidence *const a = data_evidence(ctx, &data, 0, 300, &everything);
  crd_evidence *const b = data_evidence(ctx, &raised, 0, 300, &everything);
  const crd_comparison *const there = compare(ctx, a, b), *const back = compare(ctx, b, a);
  for (size_t i = 0; i < there->count; i++) {
    const crd_difference *const x = &there->items[i], *const y = &back->items[i];
    if (isnan(x->low)) continue;
    assert_true(x->value == -y->value && x->p == y->p);
    assert_true(x->test == y->test && same_bits(x->test_p, y->test_p));
    assert_true(near(x->low, -y->high, 1e-12) && near(x->high, -y->low, 1e-12));
    if (strcmp(x->metric->name, "nll") == 0) {
      assert_true(x->high < 0 && x->low < x->value && x->value < x->high);
      assert_true(near(x->p, 2.0 / 61, 1e-12)); /* the smallest that 60 resamples can give */
    }
    if (strcmp(x->metric->name, "accuracy") == 0) assert_true(x->low > 0 && x->value > x->low);
  }
  crd_comparison_destroy(there);
  crd_comparison_destroy(back);
  crd_evidence_destroy(a);
  crd_evidence_destroy(b);
  free_data(&data);
  free_data(&raised);
}

static void other_rows_are_refused(void **state) {
  crd_context *const ctx = *state;
  test_data data = make_data(recipe);
  crd_evidence *const a = data_evidence(ctx, &data, 0, 300, &everything);
  crd_evidence *const b = data_evidence(ctx, &data, 0, 299, &everything);
  crd_evidence *const c = data_evidence(ctx, &data, 1, 300, &everything);
  const crd_comparison *comparison = NULL;
  assert_int_equal(crd_evidence_compare(ctx, a, b, &comparison), CRD_EINPUT);
  assert_non_null(
      strstr(crd_context_message(ctx), "299 rows (0:299) to compare with the 300 rows (0:300) of"));
  assert_int_equal(crd_evidence_compare(ctx, b, c, &comparison), CRD_EINPUT);
  assert_non_null(
      strstr(crd_context_message(ctx), "299 rows (1:300) to compare with the 299 rows (0:299) of"));
  assert_null(comparison);
  crd_evidence *const d = data_evidence(ctx, &data, 0, 10, &everything);
  for (size_t from = 20; from < 80; from += 20) {
    crd_evidence *const more = data_evidence(ctx, &data, from, from + 10, &everything);
    assert_int_equal(crd_evidence_merge(ctx, d, more), CRD_OK);
    crd_evidence_destroy(more);
  }
  assert_int_equal(crd_evidence_compare(ctx, a, d, &comparison), CRD_EINPUT);
  assert_non_null(strstr(crd_context_message(ctx), "40 rows (0:10, 20:30, 40:50, ...) to"));
  crd_evidence_destroy(a);
  crd_evidence_destroy(b);
  crd_evidence_destroy(c);
  crd_evidence_destroy(d);
  free_data(&data);
}

/* Evidence with other resamples, bins or metrics is not paired. */
static void other_evidence_is_refused(void **state) {
  crd_context *const ctx = *state;
  static const struct {
    crd_evaluate_options options;
    uint64_t seed;
  } others[] = {
    { { .size = sizeof(crd_evaluate_options), .metrics = "all", .resamples = 60 }, 1 },
    { { .size = sizeof(crd_evaluate_options), .metrics = "all", .resamples = 60 },
      UINT64_C(1) << 40 },
    { { .size = sizeof(crd_evaluate_options), .metrics = "all", .resamples = 61 }, 0 },
    { { .size = sizeof(crd_evaluate_options), .metrics = "all", .resamples = 60, .bins = 10 }, 0 },
    { { .size = sizeof(crd_evaluate_options), .metrics = "ece,nll", .resamples = 60 }, 0 }
  };
  test_data data = make_data(recipe);
  crd_context_set_seed(ctx, 0);
  crd_evidence *const a = data_evidence(ctx, &data, 0, 300, &everything);
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    const crd_comparison *comparison = NULL;
    crd_context_set_seed(ctx, others[i].seed);
    crd_evidence *const b = data_evidence(ctx, &data, 0, 300, &others[i].options);
    assert_int_equal(crd_evidence_compare(ctx, a, b, &comparison), CRD_EUSAGE);
    assert_int_equal(crd_evidence_compare(ctx, b, a, &comparison), CRD_EUSAGE);
    assert_non_null(strstr(crd_context_message(ctx), "cannot be compared"));
    assert_null(comparison);
    crd_evidence_destroy(b);
  }
  crd_context_set_seed(ctx, 0);
  crd_evidence_destroy(a);
  free_data(&data);
}

/* Cached values are recomputed after rows are added. */
static void later_rows_are_seen(void **state) {
  crd_context *const ctx = *state;
  test_data data = make_data(recipe);
  crd_evidence *const all = data_evidence(ctx, &data, 0, 300, &everything);
  crd_evidence *const grown = data_evidence(ctx, &data, 0, 200, &everything);
  crd_evidence *const rest = data_evidence(ctx, &data, 200, 300, &everything);
  const crd_result *before = NULL, *after = NULL, *expected = NULL;
  assert_int_equal(crd_evidence_judge(ctx, grown, &before), CRD_OK);
  assert_int_equal(crd_evidence_merge(ctx, grown, rest), CRD_OK);
  assert_int_equal(crd_evidence_judge(ctx, grown, &after), CRD_OK);
  assert_int_equal(crd_evidence_judge(ctx, all, &expected), CRD_OK);
  for (size_t i = 0; i < expected->value_count; i++) {
    assert_true(same_bits(after->values[i].low, expected->values[i].low));
    assert_true(same_bits(after->values[i].high, expected->values[i].high));
  }
  assert_false(same_bits(before->values[0].low, after->values[0].low));
  crd_result_destroy(before);
  crd_result_destroy(after);
  crd_result_destroy(expected);
  crd_evidence_destroy(all);
  crd_evidence_destroy(grown);
  crd_evidence_destroy(rest);
  free_data(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(nothing_differs_from_itself), cmocka_unit_test(a_better_model_is_better),
    cmocka_unit_test(other_rows_are_refused),      cmocka_unit_test(other_evidence_is_refused),
    cmocka_unit_test(later_rows_are_seen),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

/*
 * metrics_test.c -- properties of every metric in the table.
 *
 * A metric is tested as soon as it is listed in src/metric/kind/list.h. Names of metrics as an
 * argument ("ece,nll") restrict the test to these.
 */
#include "ref/metrics.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Data of every kind in the edge-case table of the methods. */
static const test_recipe recipes[] = {
  { .rows = 300, .classes = 10, .seed = 1, .spread = 3, .accuracy = 0.7 },
  { .rows = 301, .classes = 3, .seed = 2, .spread = 1, .accuracy = 0.5, .weighted = true },
  { .rows = 257, .classes = 4, .seed = 3, .spread = 2, .accuracy = 0.8, .distinct = 11 },
  { .rows = 256,
    .classes = 5,
    .seed = 4,
    .spread = 2,
    .accuracy = 0.6,
    .distinct = 9,
    .weighted = true },
  { .rows = 1, .classes = 3, .seed = 5, .spread = 1, .accuracy = 1 },
  { .rows = 1, .classes = 3, .seed = 6, .spread = 1, .accuracy = 0 },
  { .rows = 7, .classes = 2, .seed = 7, .spread = 2, .accuracy = 0.6 },
  { .rows = 100, .classes = 2, .seed = 8, .spread = 4, .accuracy = 0.9 },
  { .rows = 150, .classes = 2, .seed = 31, .spread = 1, .accuracy = 0.7, .positive = true },
  { .rows = 120,
    .classes = 2,
    .seed = 32,
    .spread = 2,
    .accuracy = 0.6,
    .distinct = 13,
    .weighted = true,
    .positive = true },
  { .rows = 90, .classes = 6, .seed = 9, .spread = 2, .accuracy = 1 },
  { .rows = 90, .classes = 6, .seed = 10, .spread = 2, .accuracy = 0 },
  { .rows = 80, .classes = 5, .seed = 11, .spread = 0, .accuracy = 0.4 },
  { .rows = 80, .classes = 5, .seed = 12, .spread = 4000, .accuracy = 0.9 },
  { .rows = 60, .classes = 100, .seed = 13, .spread = 2, .accuracy = 0.5, .weighted = true },
  { .rows = 30, .classes = 2, .seed = 17, .spread = 0, .accuracy = 0.9 },
  { .rows = 30, .classes = 2, .seed = 18, .spread = 1e6, .accuracy = 1 },
  { .rows = 120, .classes = 4, .seed = 14, .spread = 2, .accuracy = 0.7, .distinct = 1 },
  { .rows = 9000, .classes = 3, .seed = 15, .spread = 2, .accuracy = 0.7 },
  { .rows = 9001,
    .classes = 3,
    .seed = 16,
    .spread = 2,
    .accuracy = 0.7,
    .distinct = 50,
    .weighted = true },
};
enum {
  RECIPES = sizeof recipes / sizeof *recipes,
  SLOW = 1000 /* rows: references are quadratic */
};

static crd_evaluate_options all_metrics = { .size = sizeof all_metrics, .metrics = "all" };
static crd_evaluate_options with_intervals = { .size = sizeof with_intervals,
                                               .metrics = "all",
                                               .resamples = 21 };

static const crd_result *evaluate(crd_context *ctx, const test_data *data,
                                  const crd_evaluate_options *o) {
  crd_predictions *const p = data_predictions(ctx, data, 0, data->rows);
  const crd_result *result = NULL;
  if (crd_evaluate(ctx, p, o, &result) != CRD_OK) fail_msg("%s", crd_context_message(ctx));
  crd_predictions_destroy(p);
  return result;
}

static void same_results(const crd_result *a, const crd_result *b, const char *what) {
  assert_int_equal(a->value_count, b->value_count);
  for (size_t i = 0; i < a->value_count; i++) {
    const crd_metric_value *const x = &a->values[i], *const y = &b->values[i];
    if (!same_bits(x->value, y->value) || !same_bits(x->low, y->low) ||
        !same_bits(x->high, y->high) || !same_bits(x->p, y->p))
      fail_msg("%s: %s is %.17g [%.17g, %.17g], p %.17g or %.17g [%.17g, %.17g], p %.17g", what,
               x->metric->name, x->value, x->low, x->high, x->p, y->value, y->low, y->high, y->p);
  }
  assert_int_equal(a->bin_count, b->bin_count);
  assert_memory_equal(a->bins, b->bins, a->bin_count * sizeof *a->bins);
}

static void rows_are_described(void **state) {
  (void)state;
  for (size_t i = 0; i < crd_metric_count(); i++) {
    const crd_metric_info *const info = crd_metric_at(i);
    assert_non_null(info->name);
    assert_true(info->title && *info->title && strlen(info->title) <= 32);
    assert_true(strlen(info->summary) > 10 && strlen(info->summary) <= 64);
    assert_true(strlen(info->meaning) > 20);
    assert_true(strlen(info->reference) > 3);
    assert_true(info->low < info->high);
    assert_ptr_equal(crd_metric_find(info->name), info);
    for (size_t j = 0; j < i; j++) {
      assert_string_not_equal(crd_metric_at(j)->name, info->name);
      assert_string_not_equal(crd_metric_at(j)->title, info->title);
    }
  }
  assert_null(crd_metric_at(crd_metric_count()));
}

static void values_agree_with_references(void **state) {
  crd_context *const ctx = *state;
  static const unsigned bins[] = { 15, 1, 7, 100 };
  for (size_t r = 0; r < RECIPES; r++) {
    test_data data = make_data(recipes[r]);
    for (size_t b = 0; b < sizeof bins / sizeof *bins && data.rows < SLOW; b++) {
      const crd_result *const result =
          evaluate(ctx, &data,
                   &(crd_evaluate_options){ .size = sizeof(crd_evaluate_options),
                                            .metrics = all_metrics.metrics,
                                            .bins = bins[b] });
      for (size_t i = 0; i < result->value_count; i++) {
        const crd_metric_value *const v = &result->values[i];
        const double expected = ref_metric(v->metric->name, &data, bins[b]);
        if (!near(v->value, expected, 1e-11))
          fail_msg("recipe %zu, %u bins: %s is %.17g, expected %.17g", r, bins[b], v->metric->name,
                   v->value, expected);
        assert_true(isnan(v->value) == (v->reason != NULL));
      }
      crd_result_destroy(result);
    }
    free_data(&data);
  }
}

static void values_stay_in_range(void **state) {
  crd_context *const ctx = *state;
  for (size_t r = 0; r < RECIPES; r++) {
    test_data data = make_data(recipes[r]);
    const crd_result *const result = evaluate(ctx, &data, &all_metrics);
    for (size_t i = 0; i < result->value_count; i++) {
      const crd_metric_value *const v = &result->values[i];
      if (isnan(v->value)) continue;
      if (!(v->value >= v->metric->low - 1e-15 && v->value <= v->metric->high + 1e-15))
        fail_msg("recipe %zu: %s is %.17g, its range is %g .. %g", r, v->metric->name, v->value,
                 v->metric->low, v->metric->high);
    }
    crd_result_destroy(result);
    free_data(&data);
  }
}

static void threads_change_no_bit(void **state) {
  crd_context *const ctx = *state;
  static const unsigned threads[] = { 1, 2, 7 };
  for (size_t r = 0; r < RECIPES; r++) {
    test_data data = make_data(recipes[r]);
    const crd_result *results[3];
    for (size_t t = 0; t < 3; t++) {
      crd_context_set_threads(ctx, threads[t]);
      results[t] = evaluate(ctx, &data, &with_intervals);
    }
    crd_context_set_threads(ctx, 0);
    same_results(results[0], results[1], "1 or 2 threads");
    same_results(results[0], results[2], "1 or 7 threads");
    for (size_t t = 0; t < 3; t++) crd_result_destroy(results[t]);
    free_data(&data);
  }
}

static void partitions_change_no_bit(void **state) {
  crd_context *const ctx = *state;
  for (size_t r = 0; r < RECIPES; r++) {
    test_data data = make_data(recipes[r]);
    /* The weights of a part could all be 0, which is an error; such data is cut less finely. */
    const size_t cuts[] = { 0, data.rows / 3, data.rows / 2, data.rows - data.rows / 5, data.rows };
    const crd_result *const whole = evaluate(ctx, &data, &with_intervals);
    crd_evidence *merged = NULL;
    assert_int_equal(crd_evidence_create(ctx, &with_intervals, &merged), CRD_OK);
    for (size_t part = 4; part-- > 0;) { /* from the last to the first */
      if (cuts[part] == cuts[part + 1]) continue;
      crd_evidence *const piece =
          data_evidence(ctx, &data, cuts[part], cuts[part + 1], &with_intervals);
      if (crd_evidence_merge(ctx, merged, piece) != CRD_OK)
        fail_msg("%s", crd_context_message(ctx));
      crd_evidence_destroy(piece);
    }
    const crd_result *result = NULL;
    assert_int_equal(crd_evidence_judge(ctx, merged, &result), CRD_OK);
    same_results(whole, result, "whole or merged");
    assert_int_equal(result->rows, data.rows);
    crd_result_destroy(result);
    crd_result_destroy(whole);
    crd_evidence_destroy(merged);
    free_data(&data);
  }
}

/* Not where class 1 is evaluated: probabilities near 0, unlike confidences, keep fewer digits in a
 * fixed-point sum, depending on the unit of the weights. */
static void unit_weights_change_no_bit(void **state) {
  crd_context *const ctx = *state;
  for (size_t r = 0; r < RECIPES; r++) {
    if (recipes[r].weighted || recipes[r].positive) continue;
    test_data data = make_data(recipes[r]);
    const crd_result *const without = evaluate(ctx, &data, &all_metrics);
    data.weights = calloc(data.rows, sizeof *data.weights);
    static const double scales[] = { 1, 4, 0x1p40, 0x1p-40 };
    for (size_t s = 0; s < 4; s++) {
      for (size_t i = 0; i < data.rows; i++) data.weights[i] = scales[s];
      const crd_result *const with = evaluate(ctx, &data, &all_metrics);
      same_results(without, with, "no weights or equal weights");
      crd_result_destroy(with);
    }
    crd_result_destroy(without);
    free_data(&data);
  }
}

/* Rows of weight 0 can be removed. */
static void weight_zero_counts_for_nothing(void **state) {
  crd_context *const ctx = *state;
  test_data data = make_data((test_recipe){
      .rows = 200, .classes = 4, .seed = 21, .spread = 2, .accuracy = 0.6, .distinct = 150 });
  const crd_result *const half = evaluate(
      ctx, &(test_data){ .rows = 120, .classes = 4, .scores = data.scores, .labels = data.labels },
      &all_metrics);
  data.weights = calloc(data.rows, sizeof *data.weights);
  for (size_t i = 0; i < 120; i++) data.weights[i] = 1;
  const crd_result *const all = evaluate(ctx, &data, &all_metrics);
  for (size_t i = 0; i < all->value_count; i++)
    if (!same_bits(all->values[i].value, half->values[i].value) ||
        !same_bits(all->values[i].p, half->values[i].p))
      fail_msg("%s changes from %.17g to %.17g by rows of weight 0", all->values[i].metric->name,
               half->values[i].value, all->values[i].value);
  crd_result_destroy(all);
  crd_result_destroy(half);
  free_data(&data);
}

/* A weight of 3 means the row three times, unless a metric uses single ranks or the number of
 * independent rows. */
static void whole_weights_repeat_rows(void **state) {
  crd_context *const ctx = *state;
  static const char *const by_row[] = { "rmsce-debiased", "aece", "ece-debiased",
                                        "kde-ece",        "tace", "skce",
                                        "spiegelhalter",  "aurc", "e-aurc",
                                        "e-aurc-finite" };
  const test_recipe recipe = {
    .rows = 150, .classes = 4, .seed = 22, .spread = 2, .accuracy = 0.6, .weighted = true
  };
  test_data data = make_data(recipe), repeated = make_data(recipe);
  size_t rows = 0;
  repeated.scores = realloc(repeated.scores, 3 * 150 * 4 * sizeof(double));
  repeated.labels = realloc(repeated.labels, 3 * 150 * sizeof(int64_t));
  free(repeated.weights);
  repeated.weights = NULL;
  for (size_t i = 0; i < data.rows; i++)
    for (int copy = 0; copy < (int)data.weights[i]; copy++, rows++) {
      memcpy(repeated.scores + rows * 4, data.scores + i * 4, 4 * sizeof(double));
      repeated.labels[rows] = data.labels[i];
    }
  repeated.rows = rows;
  const crd_result *const a = evaluate(ctx, &data, &all_metrics);
  const crd_result *const b = evaluate(ctx, &repeated, &all_metrics);
  for (size_t i = 0; i < a->value_count; i++) {
    bool single = false;
    for (size_t j = 0; j < sizeof by_row / sizeof *by_row; j++)
      single |= strcmp(a->values[i].metric->name, by_row[j]) == 0;
    if (!single && !near(a->values[i].value, b->values[i].value, 1e-13))
      fail_msg("%s: %.17g with weights, %.17g with repeated rows", a->values[i].metric->name,
               a->values[i].value, b->values[i].value);
  }
  crd_result_destroy(a);
  crd_result_destroy(b);
  free_data(&data);
  free_data(&repeated);
}

/* A metric has the same value alone and together with all others. */
static void one_metric_at_a_time(void **state) {
  crd_context *const ctx = *state;
  test_data data = make_data(recipes[1]);
  const crd_result *const all =
      evaluate(ctx, &data,
               &(crd_evaluate_options){ .size = sizeof(crd_evaluate_options), .metrics = "all" });
  for (size_t i = 0; i < crd_metric_count(); i++) {
    const crd_result *const one =
        evaluate(ctx, &data,
                 &(crd_evaluate_options){ .size = sizeof(crd_evaluate_options),
                                          .metrics = crd_metric_at(i)->name });
    assert_int_equal(one->value_count, 1);
    assert_true(same_bits(one->values[0].value, value_of(all, crd_metric_at(i)->name)));
    crd_result_destroy(one);
  }
  crd_result_destroy(all);
  free_data(&data);
}

/* The same values as f32, as f64, in Fortran order, or byte-swapped. */
static void layout_changes_no_bit(void **state) {
  crd_context *const ctx = *state;
  test_data data = make_data(recipes[0]);
  const size_t n = data.rows, k = data.classes;
  float *const narrow = calloc(n * k, sizeof *narrow), *const fortran =
                                                           calloc(n * k, sizeof *fortran);
  unsigned char *const swapped = calloc(4 * n * k, sizeof *swapped);
  for (size_t i = 0; i < n * k; i++) {
    narrow[i] = (float)data.scores[i];
    data.scores[i] = narrow[i];
    fortran[i % k * n + i / k] = narrow[i];
    for (size_t b = 0; b < 4; b++) swapped[4 * i + b] = ((unsigned char *)&narrow[i])[3 - b];
  }
  crd_array views[3] = { crd_array_matrix(narrow, CRD_F32, n, k),
                         crd_array_matrix(fortran, CRD_F32, n, k),
                         crd_array_matrix(swapped, CRD_F32, n, k) };
  views[1].strides[0] = sizeof(float);
  views[1].strides[1] = (ptrdiff_t)(n * sizeof(float));
  views[2].swapped = 1;
  const crd_result *const wide = evaluate(ctx, &data, &all_metrics);
  for (size_t v = 0; v < 3; v++) {
    crd_predictions *p = NULL;
    const crd_result *result = NULL;
    const crd_predictions_parts parts = { .size = sizeof parts,
                                          .scores = views[v],
                                          .input = CRD_INPUT_LOGITS,
                                          .labels = crd_array_matrix(data.labels, CRD_I64, n, 1) };
    assert_int_equal(crd_predictions_create(ctx, &parts, &p), CRD_OK);
    assert_int_equal(crd_evaluate(ctx, p, &all_metrics, &result), CRD_OK);
    same_results(wide, result, "another layout");
    crd_result_destroy(result);
    crd_predictions_destroy(p);
  }
  crd_result_destroy(wide);
  free(narrow);
  free(fortran);
  free(swapped);
  free_data(&data);
}

/* An interval contains its estimate, lies in the range of the metric, and has positive width if
 * resamples differ. */
static void intervals_hold_their_estimates(void **state) {
  crd_context *const ctx = *state;
  for (size_t r = 0; r < RECIPES; r++) {
    test_data data = make_data(recipes[r]);
    const crd_result *const result =
        evaluate(ctx, &data,
                 &(crd_evaluate_options){ .size = sizeof(crd_evaluate_options),
                                          .metrics = all_metrics.metrics,
                                          .resamples = 200 });
    assert_int_equal(result->resamples, 200);
    for (size_t i = 0; i < result->value_count; i++) {
      const crd_metric_value *const v = &result->values[i];
      if (isnan(v->low)) continue;
      if (!(v->low <= v->value + 1e-15 && v->value <= v->high + 1e-15))
        fail_msg("recipe %zu: %s is %.17g, its interval %.17g .. %.17g", r, v->metric->name,
                 v->value, v->low, v->high);
      assert_true(v->low >= v->metric->low && v->high <= v->metric->high);
      if (strcmp(v->metric->name, "nll") == 0 && data.rows > 50 && recipes[r].spread > 0)
        assert_true(v->low < v->high);
    }
    crd_result_destroy(result);
    free_data(&data);
  }
}

static void identical_rows_give_identical_bits(void **state) {
  crd_context *const ctx = *state;
  const crd_evaluate_options everything = { .size = sizeof everything, .metrics = "all" };
  test_data data = make_data((test_recipe){
      .rows = 40, .classes = 37, .seed = 30, .spread = 3, .accuracy = 1, .distinct = 1 });
  const crd_result *const all = evaluate(ctx, &data, &everything);
  data.rows = 1;
  const crd_result *const one = evaluate(ctx, &data, &everything);
  static const char *const means[] = { "confidence", "ece", "ks", "entropy", "brier" };
  for (size_t i = 0; i < sizeof means / sizeof *means; i++)
    assert_true(near(value_of(all, means[i]), value_of(one, means[i]), 1e-15));
  size_t filled = 0;
  for (size_t m = 0; m < all->bin_count; m++) filled += all->bins[m].rows > 0;
  assert_int_equal(filled, 1);
  crd_result_destroy(all);
  crd_result_destroy(one);
  free_data(&data);
}

int main(int argc, char **argv) {
  if (argc > 1) all_metrics.metrics = with_intervals.metrics = argv[1];
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(rows_are_described),
    cmocka_unit_test(values_agree_with_references),
    cmocka_unit_test(values_stay_in_range),
    cmocka_unit_test(threads_change_no_bit),
    cmocka_unit_test(partitions_change_no_bit),
    cmocka_unit_test(unit_weights_change_no_bit),
    cmocka_unit_test(weight_zero_counts_for_nothing),
    cmocka_unit_test(whole_weights_repeat_rows),
    cmocka_unit_test(one_metric_at_a_time),
    cmocka_unit_test(layout_changes_no_bit),
    cmocka_unit_test(intervals_hold_their_estimates),
    cmocka_unit_test(identical_rows_give_identical_bits),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

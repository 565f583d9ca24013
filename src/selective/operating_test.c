/* operating_test.c -- operating points: known numbers, edge cases, other rows, files. */
#include "selective/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const crd_target both[] = { { CRD_TARGET_RISK, 0.1 }, { CRD_TARGET_COVERAGE, 0.5 } };

static test_rows t;

/* ---- Known numbers. */

/* 400 rows: 100 of confidence 0.9 with 2 errors, 300 of confidence 0.6 with 60 errors. */
static void make_two_levels(void) {
  t = (test_rows){ .rows = 400 };
  for (size_t i = 0; i < t.rows; i++) {
    t.confidence[i] = i < 100 ? 0.9 : 0.6;
    t.correct[i] = i < 100 ? i >= 2 : i >= 160;
  }
}

static void bootstrap_points_are_known(void **state) {
  make_two_levels();
  const crd_operating_table *const o = find_points(*state, &t, both, 2, CRD_GUARANTEE_BOOTSTRAP);
  assert_int_equal(o->count, 2);
  assert_string_equal(o->interval, "bootstrap");
  assert_int_equal(o->chosen_rows, 400);
  assert_int_equal(o->measured_rows, 400);
  const crd_operating_point *const risk = &o->items[0], *const coverage = &o->items[1];
  assert_true(risk->threshold == 0.9 && risk->accepted == 100 && risk->risk.count == 2);
  assert_true(risk->risk.value == 0.02 && risk->coverage.value == 0.25);
  assert_true(risk->risk.low < 0.02 && risk->risk.high > 0.02 && risk->risk.high < 0.08);
  /* Ties are never divided: half of the rows needs all. */
  assert_true(coverage->threshold == 0.6 && coverage->accepted == 400);
  assert_true(coverage->coverage.value == 1 && coverage->risk.value == 62.0 / 400);
  assert_true(coverage->risk.low < 62.0 / 400 && coverage->risk.high > 62.0 / 400);
  crd_operating_destroy(o);
}

/* The interval is that of Clopper and Pearson for the rows measured: scipy 1.17.1's numbers. */
static void held_out_interval_is_known(void **state) {
  static test_rows other;
  const crd_target target = { CRD_TARGET_COVERAGE, 0.25 };
  const crd_operating_options options = { .size = sizeof options,
                                          .targets = &target,
                                          .target_count = 1 };
  const crd_operating_table *o = NULL;
  make_two_levels();
  other = t;
  for (size_t i = 100; i < 200; i++) other.confidence[i] = 0.95;
  for (size_t i = 0; i < 200; i++) other.correct[i] = i >= 3; /* 3 of 200 accepted rows */
  crd_predictions *const choose = open_rows(*state, &t), *const measure = open_rows(*state, &other);
  assert_int_equal(crd_operating_choose(*state, choose, measure, &options, &o), CRD_OK);
  const crd_operating_point *const p = o->items;
  assert_true(p->threshold == 0.9 && p->rows == 400 && p->accepted == 200);
  assert_true(near(p->risk.low, 0.0031041076215535088, 1e-9));
  assert_true(near(p->risk.high, 0.043208281917712602, 1e-9));
  assert_string_equal(o->interval, "clopper-pearson");
  assert_true(p->promise == CRD_PROMISE_NONE && isnan(p->promised));
  crd_operating_destroy(o);
  crd_predictions_destroy(choose);
  crd_predictions_destroy(measure);
}

/* Halves are disjoint and together all rows; the chosen threshold is one of its half's. */
static void halves_add_up(void **state) {
  draw_rows(&t, 1001, 0.5, 0, 3);
  const crd_operating_table *const o = find_points(*state, &t, both, 2, CRD_GUARANTEE_HELD_OUT);
  assert_int_equal(o->chosen_rows + o->measured_rows, 1001);
  assert_true(o->measured_rows == 500 || o->measured_rows == 501);
  for (size_t i = 0; i < 2; i++) {
    assert_int_equal(o->items[i].rows, o->measured_rows);
    assert_true(o->items[i].coverage.count == (double)o->items[i].accepted);
  }
  assert_true(fabs(o->items[1].coverage.value - 0.5) < 0.1);
  crd_operating_destroy(o);
}

/* The values of a ranking may be negative: only their order counts. */
static void rankings_have_points(void **state) {
  static double values[400];
  const crd_operating_table *o = NULL;
  make_two_levels();
  for (size_t i = 0; i < t.rows; i++) values[i] = t.confidence[i] > 0.7 ? -1 : -8;
  const crd_predictions_parts parts = { .size = sizeof parts,
                                        .scores = crd_array_matrix(values, CRD_F64, t.rows, 1),
                                        .correct = crd_array_matrix(t.correct, CRD_U8, t.rows, 1),
                                        .input = CRD_INPUT_RANKING };
  const crd_operating_options options = { .size = sizeof options,
                                          .targets = both,
                                          .target_count = 2,
                                          .guarantee = CRD_GUARANTEE_BOOTSTRAP,
                                          .resamples = 20 };
  crd_predictions *p = NULL;
  assert_int_equal(crd_predictions_create(*state, &parts, &p), CRD_OK);
  assert_int_equal(crd_operating_find(*state, p, &options, &o), CRD_OK);
  assert_true(o->items[0].threshold == -1 && o->items[0].accepted == 100);
  assert_true(o->items[1].threshold == -8 && o->items[1].accepted == 400);
  crd_operating_destroy(o);
  crd_predictions_destroy(p);
}

/* ---- Two classes. */

static void rates_of_two_classes_agree_with_loops(void **state) {
  for (int positive = 0; positive < 2; positive++) {
    test_data d = make_data((test_recipe){ .rows = 500,
                                           .classes = 2,
                                           .seed = 11,
                                           .spread = 2,
                                           .accuracy = 0.8,
                                           .positive = positive != 0 });
    crd_predictions *const p = data_predictions(*state, &d, 0, d.rows);
    const crd_target target = { CRD_TARGET_COVERAGE, 0.6 };
    const crd_operating_options options = { .size = sizeof options,
                                            .targets = &target,
                                            .target_count = 1,
                                            .guarantee = CRD_GUARANTEE_BOOTSTRAP,
                                            .resamples = 100 };
    const crd_operating_table *o = NULL;
    assert_int_equal(crd_operating_find(*state, p, &options, &o), CRD_OK);
    const crd_operating_point *const point = o->items;
    double n[2][2] = { { 0 } };
    for (size_t i = 0; i < d.rows; i++) {
      const double gap = d.scores[2 * i + 1] - d.scores[2 * i];
      if (1 / (1 + exp(-fabs(gap))) >= point->threshold - 1e-12) n[d.labels[i]][gap > 0]++;
    }
    assert_true(o->binary);
    assert_true(point->sensitivity.count == n[1][1]);
    assert_true(point->sensitivity.total == n[1][0] + n[1][1]);
    assert_true(point->specificity.count == n[0][0]);
    assert_true(point->specificity.total == n[0][0] + n[0][1]);
    assert_true(point->ppv.count == n[1][1] && point->ppv.total == n[0][1] + n[1][1]);
    assert_true(point->npv.count == n[0][0] && point->npv.total == n[0][0] + n[1][0]);
    assert_true(point->risk.count == n[0][1] + n[1][0]);
    assert_true(point->ppv.low < point->ppv.value && point->ppv.value < point->ppv.high);
    crd_operating_destroy(o);
    crd_predictions_destroy(p);
    free_data(&d);
  }
}

/* ---- Edge cases. */

static void expect_none(const crd_operating_point *p, const char *reason) {
  assert_true(isnan(p->threshold) && p->accepted == 0 && p->coverage.value == 0);
  assert_true(isnan(p->risk.value) && isnan(p->risk.low) && isnan(p->risk.high));
  if (!p->reason || !strstr(p->reason, reason))
    fail_msg("'%s' does not contain '%s'", p->reason, reason);
}

static const crd_operating_table *find_constant(crd_context *ctx, size_t rows, double confidence,
                                                bool correct, crd_guarantee guarantee) {
  t = (test_rows){ .rows = rows };
  for (size_t i = 0; i < rows; i++) {
    t.confidence[i] = confidence < 0 ? (double)(i + 1) / (double)rows : confidence;
    t.correct[i] = correct;
  }
  return find_points(ctx, &t, both, 2, guarantee);
}

static void all_correct_is_accepted(void **state) {
  for (crd_guarantee g = CRD_GUARANTEE_HELD_OUT; g <= CRD_GUARANTEE_BOOTSTRAP; g++) {
    const crd_operating_table *const o = find_constant(*state, 400, -1, true, g);
    assert_true(o->items[0].coverage.value > 0.98);
    assert_true(o->items[0].risk.value == 0 && o->items[0].risk.low == 0);
    /* Not a point: Clopper and Pearson's bound for no error. */
    assert_true(o->items[0].risk.high > 0.005 && o->items[0].risk.high < 0.02);
    crd_operating_destroy(o);
  }
}

static void all_wrong_has_no_threshold(void **state) {
  for (crd_guarantee g = CRD_GUARANTEE_HELD_OUT; g <= CRD_GUARANTEE_BOOTSTRAP; g++) {
    const crd_operating_table *const o = find_constant(*state, 400, -1, false, g);
    expect_none(&o->items[0], g == CRD_GUARANTEE_HELD_OUT ? "no threshold has a risk of at most 0.1"
                                                          : "observed risk above 0.1");
    assert_true(o->items[1].risk.value == 1 && o->items[1].risk.high == 1);
    crd_operating_destroy(o);
  }
}

static void constant_confidence_is_one_step(void **state) {
  const crd_operating_table *const o =
      find_constant(*state, 400, 0.7, true, CRD_GUARANTEE_HELD_OUT);
  for (size_t i = 0; i < 2; i++) {
    assert_true(o->items[i].threshold == 0.7);
    assert_int_equal(o->items[i].accepted, 200);
  }
  crd_operating_destroy(o);
}

static void few_rows_have_a_reason(void **state) {
  const crd_operating_table *o = find_constant(*state, 1, 0.7, true, CRD_GUARANTEE_HELD_OUT);
  expect_none(&o->items[0], "cannot be split");
  expect_none(&o->items[1], "cannot be split");
  crd_operating_destroy(o);
  o = find_constant(*state, 20, 0.7, true, CRD_GUARANTEE_HELD_OUT);
  expect_none(&o->items[0], "29 or more accepted rows without an error");
  crd_operating_destroy(o);
  o = find_constant(*state, 1, 0.7, true, CRD_GUARANTEE_BOOTSTRAP);
  assert_true(o->items[0].threshold == 0.7 && o->items[0].accepted == 1);
  crd_operating_destroy(o);
}

/* All rows of one patient: nothing can be split; of two, each half has one, and no interval. */
static void few_clusters_have_no_interval(void **state) {
  t = (test_rows){ .rows = 40, .clustered = true };
  for (size_t i = 0; i < t.rows; i++) t.confidence[i] = t.correct[i] = 1;
  const crd_operating_table *o = find_points(*state, &t, both, 2, CRD_GUARANTEE_HELD_OUT);
  expect_none(&o->items[1], "cannot be split");
  crd_operating_destroy(o);
  for (size_t i = 20; i < t.rows; i++) t.patient[i] = 1;
  o = find_points(*state, &t, both, 2, CRD_GUARANTEE_HELD_OUT);
  assert_int_equal(o->items[1].accepted, 20);
  assert_true(o->items[1].risk.value == 0 && isnan(o->items[1].risk.high));
  crd_operating_destroy(o);
}

static void targets_are_checked(void **state) {
  static const crd_target wrong[] = { { CRD_TARGET_RISK, 1 },
                                      { CRD_TARGET_RISK, -0.1 },
                                      { CRD_TARGET_RISK, (double)NAN },
                                      { CRD_TARGET_COVERAGE, 0 },
                                      { CRD_TARGET_COVERAGE, 1.5 } };
  make_two_levels();
  crd_predictions *const p = open_rows(*state, &t);
  for (size_t i = 0; i <= sizeof wrong / sizeof *wrong; i++) {
    const bool none = i == sizeof wrong / sizeof *wrong;
    const crd_operating_options options = { .size = sizeof options,
                                            .targets = none ? NULL : &wrong[i],
                                            .target_count = none ? 0 : 1 };
    const crd_operating_table *o = (crd_operating_table *)*state;
    assert_int_equal(crd_operating_find(*state, p, &options, &o), CRD_EUSAGE);
    assert_null(o);
  }
  crd_predictions_destroy(p);
}

/* ---- Weights: doubled rows and doubled weights have the same proportions. */

static void weights_count(void **state) {
  static test_rows twice;
  draw_rows(&t, 600, 0.6, 0.02, 9);
  t.weighted = true;
  twice = (test_rows){ 0 };
  for (size_t i = 0; i < t.rows; i++)
    for (size_t k = 0; k < (size_t)t.weights[i]; k++, twice.rows++) {
      twice.confidence[twice.rows] = t.confidence[i];
      twice.correct[twice.rows] = t.correct[i];
    }
  const crd_operating_table *const a = find_points(*state, &t, both, 2, CRD_GUARANTEE_BOOTSTRAP);
  const crd_operating_table *const b =
      find_points(*state, &twice, both, 2, CRD_GUARANTEE_BOOTSTRAP);
  for (size_t i = 0; i < 2; i++) {
    assert_true(a->items[i].threshold == b->items[i].threshold);
    assert_true(near(a->items[i].risk.value, b->items[i].risk.value, 1e-12));
    assert_true(near(a->items[i].coverage.value, b->items[i].coverage.value, 1e-12));
  }
  t.weighted = false;
  crd_operating_destroy(a);
  crd_operating_destroy(b);
}

/* ---- Other rows. */

static crd_promise promise_on(crd_context *ctx, const crd_operating_table *o, double share_wrong) {
  const crd_operating_table *applied = NULL;
  t = (test_rows){ .rows = 1000 };
  for (size_t i = 0; i < t.rows; i++) {
    t.confidence[i] = i % 2 ? 0.95 : 0.1;
    t.correct[i] = (double)(i / 2) >= 500 * share_wrong;
  }
  crd_predictions *const p = open_rows(ctx, &t);
  assert_int_equal(crd_operating_apply(ctx, o, p, 0, &applied), CRD_OK);
  assert_int_equal(applied->items[0].accepted, 500);
  assert_true(applied->items[0].promised == 0.1 &&
              near(applied->items[0].risk.value, share_wrong, 1e-12));
  assert_true(applied->items[0].threshold == o->items[0].threshold);
  assert_true(applied->items[1].promised == o->items[1].risk.high);
  const crd_promise found = applied->items[0].promise;
  crd_operating_destroy(applied);
  crd_predictions_destroy(p);
  return found;
}

static void promise_is_judged(void **state) {
  make_two_levels();
  const crd_operating_table *const o = find_points(*state, &t, both, 2, CRD_GUARANTEE_BOOTSTRAP);
  assert_int_equal(promise_on(*state, o, 0.04), CRD_PROMISE_HOLDS);
  assert_int_equal(promise_on(*state, o, 0.1), CRD_PROMISE_UNDECIDED);
  assert_int_equal(promise_on(*state, o, 0.2), CRD_PROMISE_BROKEN);
  crd_operating_destroy(o);
}

static void nothing_is_promised_without_a_threshold(void **state) {
  const crd_operating_table *const o = find_constant(*state, 50, 0.7, false,
                                                     CRD_GUARANTEE_BOOTSTRAP),
                                   *applied = NULL;
  t.confidence[0] = 0.1;
  for (size_t i = 0; i < t.rows; i++) t.confidence[i] = 0.1;
  crd_predictions *const p = open_rows(*state, &t);
  assert_int_equal(crd_operating_apply(*state, o, p, 0, &applied), CRD_OK);
  assert_int_equal(applied->items[0].promise, CRD_PROMISE_NONE);
  assert_string_equal(applied->items[0].reason, o->items[0].reason);
  /* No row reaches the threshold of the other point. */
  assert_int_equal(applied->items[1].promise, CRD_PROMISE_UNDECIDED);
  assert_string_equal(applied->items[1].reason, "no measured row is accepted");
  assert_true(applied->items[1].coverage.high > 0 && isnan(applied->items[1].risk.value));
  crd_operating_destroy(applied);
  crd_operating_destroy(o);
  crd_predictions_destroy(p);
}

/* ---- Files. */

static void accepted_rows_are_written(void **state) {
  static const double p[] = { 0.9, 0.05, 0.05, 0.2, 0.7, 0.1, 0.3, 0.3, 0.4, 0.1, 0.1, 0.8 };
  static const int64_t labels[] = { 0, 1, 0, 0 };
  const crd_predictions_parts parts = { .size = sizeof parts,
                                        .scores = crd_array_matrix(p, CRD_F64, 4, 3),
                                        .labels = crd_array_matrix(labels, CRD_I64, 4, 1),
                                        .input = CRD_INPUT_PROBABILITIES,
                                        .first_row = 100 };
  static const crd_target targets[] = { { CRD_TARGET_COVERAGE, 0.75 }, { CRD_TARGET_RISK, 0.25 } };
  crd_predictions *rows = NULL;
  char path[256], text[1024] = "";
  for (size_t count = 1; count <= 2; count++) {
    const crd_operating_options options = { .size = sizeof options,
                                            .targets = targets,
                                            .target_count = count,
                                            .guarantee = CRD_GUARANTEE_BOOTSTRAP,
                                            .resamples = 4 };
    const crd_operating_table *o = NULL;
    assert_int_equal(crd_predictions_create(*state, &parts, &rows), CRD_OK);
    assert_int_equal(crd_operating_find(*state, rows, &options, &o), CRD_OK);
    temporary_path(path, "accepted.csv");
    assert_int_equal(crd_operating_save(*state, o, rows, path), CRD_OK);
    FILE *const file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    remove(path);
    assert_string_equal(text, count == 1 ? "row,predicted,confidence,accepted,measured\n"
                                           "100,0,0.9,1,1\n101,1,0.7,1,1\n"
                                           "102,2,0.4,0,1\n103,2,0.8,1,1\n"
                                         : "row,predicted,confidence,accepted_coverage_0.75,"
                                           "accepted_risk_0.25,measured\n"
                                           "100,0,0.9,1,1,1\n101,1,0.7,1,0,1\n"
                                           "102,2,0.4,0,0,1\n103,2,0.8,1,0,1\n");
    crd_operating_destroy(o);
    crd_predictions_destroy(rows);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(bootstrap_points_are_known),
    cmocka_unit_test(held_out_interval_is_known),
    cmocka_unit_test(halves_add_up),
    cmocka_unit_test(rankings_have_points),
    cmocka_unit_test(rates_of_two_classes_agree_with_loops),
    cmocka_unit_test(all_correct_is_accepted),
    cmocka_unit_test(all_wrong_has_no_threshold),
    cmocka_unit_test(constant_confidence_is_one_step),
    cmocka_unit_test(few_rows_have_a_reason),
    cmocka_unit_test(few_clusters_have_no_interval),
    cmocka_unit_test(targets_are_checked),
    cmocka_unit_test(weights_count),
    cmocka_unit_test(promise_is_judged),
    cmocka_unit_test(nothing_is_promised_without_a_threshold),
    cmocka_unit_test(accepted_rows_are_written),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

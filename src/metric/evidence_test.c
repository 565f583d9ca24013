/* evidence_test.c -- a failed call changes nothing; mismatches; lists of metrics. */
#include "data/predictions.h"
#include "support.h"

#include <math.h>
#include <string.h>

static const crd_evaluate_options all = { .size = sizeof all, .metrics = "all" };

static crd_evidence *create(crd_context *ctx, const crd_evaluate_options *options) {
  crd_evidence *evidence = NULL;
  if (crd_evidence_create(ctx, options, &evidence) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  return evidence;
}

static void add_at(crd_context *ctx, crd_evidence *evidence, const test_data *data,
                   uint64_t first_row) {
  crd_predictions *const p = data_predictions(ctx, data, 0, data->rows);
  if (crd_evidence_add(ctx, evidence, p, first_row) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  crd_predictions_destroy(p);
}

static void add(crd_context *ctx, crd_evidence *evidence, const test_data *data) {
  add_at(ctx, evidence, data, 0);
}

static void same(crd_context *ctx, crd_evidence *evidence, const crd_result *expected) {
  const crd_result *result = NULL;
  assert_int_equal(crd_evidence_judge(ctx, evidence, &result), CRD_OK);
  assert_int_equal(result->rows, expected->rows);
  for (size_t i = 0; i < result->value_count; i++)
    assert_true(same_bits(result->values[i].value, expected->values[i].value));
  crd_result_destroy(result);
}

/* A failure in the middle of a pass leaves the evidence unchanged. */
static void failure_changes_nothing(void **state) {
  crd_context *const ctx = *state;
  test_data good = make_data(
      (test_recipe){ .rows = 9000, .classes = 3, .seed = 1, .spread = 1, .accuracy = .6 });
  test_data bad = make_data(
      (test_recipe){ .rows = 9000, .classes = 3, .seed = 2, .spread = 1, .accuracy = .6 });
  bad.scores[3 * 8500 + 1] = (double)NAN;
  crd_evidence *const evidence = create(ctx, &all);
  crd_predictions *const p = data_predictions(ctx, &bad, 0, bad.rows);
  assert_int_equal(crd_evidence_add(ctx, evidence, p, 0), CRD_EINPUT);
  assert_non_null(strstr(crd_context_message(ctx), "row 8500, class 1 is NaN"));
  add(ctx, evidence, &good); /* the failed call did not determine the kind of rows */
  const crd_result *before = NULL;
  assert_int_equal(crd_evidence_judge(ctx, evidence, &before), CRD_OK);
  assert_int_equal(crd_evidence_add(ctx, evidence, p, 9000), CRD_EINPUT);
  same(ctx, evidence, before);
  crd_result_destroy(before);
  crd_predictions_destroy(p);
  crd_evidence_destroy(evidence);
  free_data(&good);
  free_data(&bad);
}

static void expect_notes(crd_context *ctx, crd_evidence *evidence, const char *only) {
  const crd_result *result = NULL;
  size_t own = 0;
  assert_int_equal(crd_evidence_judge(ctx, evidence, &result), CRD_OK);
  for (size_t i = 0; i < result->note_count; i++) {
    assert_null(strstr(result->notes[i], "refused"));
    own += strcmp(result->notes[i], only) == 0;
  }
  assert_int_equal(own, 1);
  crd_result_destroy(result);
}

/* Notes of predictions that fail are not kept, even if those are the first. */
static void failure_keeps_no_notes(void **state) {
  crd_context *const ctx = *state;
  const test_recipe recipe = { .rows = 90, .classes = 3, .seed = 1, .spread = 1, .accuracy = .6 };
  test_data good = make_data(recipe), bad = make_data(recipe);
  bad.scores[3 * 85 + 1] = (double)NAN;
  crd_predictions *const right = data_predictions(ctx, &good, 0, good.rows);
  crd_predictions *const wrong = data_predictions(ctx, &bad, 0, bad.rows);
  assert_int_equal(crd__notes_add(ctx, &right->alloc, &right->notes, "seen"), CRD_OK);
  assert_int_equal(crd__notes_add(ctx, &wrong->alloc, &wrong->notes, "refused"), CRD_OK);
  crd_evidence *const evidence = create(ctx, &all);
  assert_int_equal(crd_evidence_add(ctx, evidence, wrong, 0), CRD_EINPUT);
  assert_int_equal(crd_evidence_add(ctx, evidence, right, 0), CRD_OK);
  assert_int_equal(crd_evidence_add(ctx, evidence, right, 90), CRD_OK);
  assert_int_equal(crd_evidence_add(ctx, evidence, wrong, 180), CRD_EINPUT);
  expect_notes(ctx, evidence, "seen");
  crd_predictions_destroy(right);
  crd_predictions_destroy(wrong);
  crd_evidence_destroy(evidence);
  free_data(&good);
  free_data(&bad);
}

static void interrupt_ranking(void *self, const char *stage, uint64_t done, uint64_t total) {
  (void)done;
  (void)total;
  if (strcmp(stage, "ranking classes") == 0) crd_context_interrupt(self);
}

/* An interrupt in the last pass, which ranks the pairs of classes, leaves the evidence unchanged
 * too. */
static void interruption_changes_nothing(void **state) {
  (void)state;
  crd_context *const ctx = test_context();
  test_data data = make_data(
      (test_recipe){ .rows = 9000, .classes = 3, .seed = 1, .spread = 1, .accuracy = .6 });
  crd_evidence *const evidence = create(ctx, &all);
  crd_predictions *const p = data_predictions(ctx, &data, 0, data.rows);
  const crd_result *before = NULL;
  add(ctx, evidence, &data);
  assert_int_equal(crd_evidence_judge(ctx, evidence, &before), CRD_OK);
  crd_context_set_threads(ctx, 1); /* the first worker reports progress */
  crd_context_set_progress(ctx, interrupt_ranking, ctx);
  assert_int_equal(crd_evidence_add(ctx, evidence, p, 9000), CRD_EINTERRUPTED);
  crd_predictions_destroy(p);
  same(ctx, evidence, before); /* the interrupt ended one call, and not the context */
  crd_result_destroy(before);
  crd_evidence_destroy(evidence);
  crd_context_destroy(ctx);
  free_data(&data);
}

/* Changes the scores after the last row is counted and before its pairs are ranked. */
static void change_scores(void *self, const char *stage, uint64_t done, uint64_t total) {
  const test_data *const data = self;
  if (strcmp(stage, "evaluating") != 0 || done < total) return;
  for (size_t i = 0; i < data->rows * data->classes; i++) data->scores[i] /= 1000;
}

static void scores_must_not_change(void **state) {
  (void)state;
  crd_context *const ctx = test_context();
  test_data data = make_data(
      (test_recipe){ .rows = 90, .classes = 3, .seed = 1, .spread = 1000, .accuracy = .6 });
  crd_evidence *const evidence = create(ctx, &all);
  crd_predictions *const p = data_predictions(ctx, &data, 0, data.rows);
  crd_context_set_progress(ctx, change_scores, &data);
  assert_int_equal(crd_evidence_add(ctx, evidence, p, 0), CRD_EINPUT);
  assert_non_null(strstr(crd_context_message(ctx), "the scores changed while they were read"));
  crd_predictions_destroy(p);
  crd_evidence_destroy(evidence);
  crd_context_destroy(ctx);
  free_data(&data);
}

/* Judging does not change the evidence: it can be repeated, and rows can be added afterwards. */
static void judging_does_not_end_it(void **state) {
  crd_context *const ctx = *state;
  test_data data =
      make_data((test_recipe){ .rows = 50, .classes = 3, .seed = 3, .spread = 1, .accuracy = .6 });
  crd_evidence *const a = create(ctx, &all), *const b = create(ctx, &all);
  const crd_result *result = NULL;
  add(ctx, a, &data);
  assert_int_equal(crd_evidence_judge(ctx, a, &result), CRD_OK);
  same(ctx, a, result);
  crd_result_destroy(result);
  add_at(ctx, a, &data, 50);
  add_at(ctx, b, &data, 50);
  add(ctx, b, &data);
  assert_int_equal(crd_evidence_judge(ctx, b, &result), CRD_OK);
  same(ctx, a, result);
  assert_int_equal(result->rows, 100);
  crd_result_destroy(result);
  crd_evidence_destroy(a);
  crd_evidence_destroy(b);
  free_data(&data);
}

static void mismatched_predictions_fail(void **state) {
  crd_context *const ctx = *state;
  const test_recipe recipe = { .rows = 50, .classes = 3, .seed = 3, .spread = 1, .accuracy = .6 };
  test_recipe other = recipe, heavy = recipe;
  other.classes = 4;
  heavy.weighted = true;
  test_data three = make_data(recipe), four = make_data(other), weighted = make_data(heavy);
  crd_evidence *const here = create(ctx, &all), *const fine = create(ctx, &all);
  crd_evidence *const bins =
      create(ctx, &(crd_evaluate_options){
                      .size = sizeof(crd_evaluate_options), .metrics = "all", .bins = 20 });
  crd_evidence *const few = create(ctx, NULL);
  add(ctx, here, &three);
  add(ctx, bins, &three);
  add(ctx, few, &three);
  assert_int_equal(crd_evidence_merge(ctx, here, bins), CRD_EUSAGE);
  assert_int_equal(crd_evidence_merge(ctx, here, few), CRD_EUSAGE);
  add(ctx, fine, &four);
  assert_int_equal(crd_evidence_merge(ctx, here, fine), CRD_EINPUT);
  assert_string_equal(crd_context_message(ctx), "4 classes cannot be merged with 3");
  crd_evidence *const loaded = create(ctx, &all);
  add(ctx, loaded, &weighted);
  assert_int_equal(crd_evidence_merge(ctx, here, loaded), CRD_EINPUT);
  assert_non_null(strstr(crd_context_message(ctx), "weights"));
  crd_evidence *const all_of_them[] = { here, fine, bins, few, loaded };
  for (size_t i = 0; i < 5; i++) crd_evidence_destroy(all_of_them[i]);
  free_data(&three);
  free_data(&four);
  free_data(&weighted);
}

static void names_are_checked(void **state) {
  crd_context *const ctx = *state;
  crd_evidence *evidence = NULL;
  static const struct {
    const char *names, *message;
  } cases[] = { { "ecee", "no metric is called 'ecee'; did you mean 'ece'?" },
                { "ece,acuracy", "no metric is called 'acuracy'; did you mean 'accuracy'?" },
                { "ece,", "no metric is called ''" },
                { "temperature", "no metric is called 'temperature'; crd_metric_at lists them" } };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const crd_evaluate_options options = { .size = sizeof options, .metrics = cases[i].names };
    assert_int_equal(crd_evidence_create(ctx, &options, &evidence), CRD_EUSAGE);
    assert_null(evidence);
    assert_non_null(strstr(crd_context_message(ctx), cases[i].message));
  }
  assert_int_equal(
      crd_evidence_create(
          ctx, &(crd_evaluate_options){ .size = sizeof(crd_evaluate_options), .bins = 100001 },
          &evidence),
      CRD_EUSAGE);
  const crd_result *result = NULL;
  evidence = create(ctx, NULL);
  assert_int_equal(crd_evidence_judge(ctx, evidence, &result), CRD_EUSAGE);
  assert_null(result);
  crd_evidence_destroy(evidence);
}

/* The metrics of a list come in the order of the table, each once. */
static void lists_are_sets(void **state) {
  crd_context *const ctx = *state;
  test_data data =
      make_data((test_recipe){ .rows = 50, .classes = 3, .seed = 3, .spread = 1, .accuracy = .6 });
  crd_evidence *const evidence =
      create(ctx, &(crd_evaluate_options){ .size = sizeof(crd_evaluate_options),
                                           .metrics = "aurc,ece,aurc" });
  const crd_result *result = NULL;
  add(ctx, evidence, &data);
  assert_int_equal(crd_evidence_judge(ctx, evidence, &result), CRD_OK);
  assert_int_equal(result->value_count, 2);
  assert_string_equal(result->values[0].metric->name, "ece");
  assert_string_equal(result->values[1].metric->name, "aurc");
  crd_result_destroy(result);
  crd_evidence_destroy(evidence);
  free_data(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(failure_changes_nothing),
    cmocka_unit_test(failure_keeps_no_notes),
    cmocka_unit_test(interruption_changes_nothing),
    cmocka_unit_test(scores_must_not_change),
    cmocka_unit_test(judging_does_not_end_it),
    cmocka_unit_test(mismatched_predictions_fail),
    cmocka_unit_test(names_are_checked),
    cmocka_unit_test(lists_are_sets),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

/*
 * recalibrate_test.c -- refinement and calibration error equal plain loops over copies of the rows,
 * and rows that cannot be recalibrated leave the metrics undefined.
 */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 240, CLASSES = 4, FOLDS = 5, CLUSTERS = 30 };
static const char *const metrics = "nll,nll-refinement,nll-calibration,brier,brier-refinement,"
                                   "brier-calibration,brier-top1,brier-top1-refinement,"
                                   "brier-top1-calibration";

typedef struct {
  test_data data;
  int64_t patient[ROWS];
  crd_group_column person;
} fixture;

static crd_predictions *open_rows(crd_context *ctx, fixture *f, const size_t *rows, size_t count,
                                  bool clustered, test_data *copy) {
  crd_predictions *p = NULL;
  *copy = (test_data){ .rows = count, .classes = CLASSES };
  copy->scores = calloc(count * CLASSES, sizeof *copy->scores);
  copy->labels = calloc(count, sizeof *copy->labels);
  copy->weights = calloc(count, sizeof *copy->weights);
  for (size_t i = 0; i < count; i++) {
    memcpy(copy->scores + i * CLASSES, f->data.scores + rows[i] * CLASSES,
           CLASSES * sizeof(double));
    copy->labels[i] = f->data.labels[rows[i]];
    copy->weights[i] = f->data.weights[rows[i]];
  }
  crd_predictions_parts parts = {
    .size = sizeof parts,
    .scores = crd_array_matrix(copy->scores, CRD_F64, count, CLASSES),
    .labels = crd_array_matrix(copy->labels, CRD_I64, count, 1),
    .weights = crd_array_matrix(copy->weights, CRD_F64, count, 1),
    .input = CRD_INPUT_LOGITS,
  };
  f->person =
      (crd_group_column){ "patient", crd_array_matrix(f->patient, CRD_I64, ROWS, 1), NULL, 0 };
  if (clustered) {
    parts.group_columns = &f->person;
    parts.group_column_count = 1;
  }
  if (crd_predictions_create(ctx, &parts, &p) != CRD_OK) fail_msg("%s", crd_context_message(ctx));
  return p;
}

static fixture make_fixture(void) {
  fixture f = { .data = make_data((test_recipe){ .rows = ROWS,
                                                 .classes = CLASSES,
                                                 .seed = 12,
                                                 .spread = 3,
                                                 .accuracy = .6,
                                                 .weighted = true }) };
  for (size_t i = 0; i < ROWS; i++) f.patient[i] = (int64_t)(i * i % CLUSTERS);
  return f;
}

static crd_predictions *open_all(crd_context *ctx, fixture *f, bool clustered, test_data *copy) {
  size_t rows[ROWS];
  for (size_t i = 0; i < ROWS; i++) rows[i] = i;
  return open_rows(ctx, f, rows, ROWS, clustered, copy);
}

static const crd_result *evaluate(crd_context *ctx, const crd_predictions *p, unsigned resamples) {
  const crd_result *result = NULL;
  const crd_evaluate_options options = { .size = sizeof options,
                                         .metrics = metrics,
                                         .resamples = resamples };
  if (crd_evaluate(ctx, p, &options, &result) != CRD_OK) fail_msg("%s", crd_context_message(ctx));
  return result;
}

/* ---- Plain loops. */

typedef struct {
  double nll, brier, top, weight; /* sums over rows */
} sums;

static size_t argmax(const double *x) {
  size_t top = 0;
  for (size_t k = 1; k < CLASSES; k++)
    if (x[k] > x[top]) top = k;
  return top;
}

/* Adds the losses of one row with probabilities p; `judged` is the class of the top-1 loss. */
static void add(sums *s, const double *p, size_t label, size_t judged, double weight) {
  double brier = 0;
  for (size_t k = 0; k < CLASSES; k++) brier += pow(p[k] - (k == label), 2);
  s->nll -= weight * log(p[label]);
  s->brier += weight * brier;
  s->top += weight * pow(p[judged] - (judged == label), 2);
  s->weight += weight;
}

/* Fits on all rows outside the fold, and adds the losses of its rows. */
static void add_fold(crd_context *ctx, fixture *f, const char *method, const unsigned *fold,
                     unsigned which, sums *s) {
  size_t rows[2][ROWS], count[2] = { 0 };
  test_data copy[2];
  crd_calibrator *c = NULL;
  for (size_t i = 0; i < ROWS; i++) rows[fold[i] == which][count[fold[i] == which]++] = i;
  crd_predictions *const train = open_rows(ctx, f, rows[0], count[0], false, &copy[0]);
  crd_predictions *const held = open_rows(ctx, f, rows[1], count[1], false, &copy[1]);
  double *const p = calloc(ROWS * CLASSES, sizeof *p);
  if (crd_calibrator_fit(ctx, method, NULL, train, &c) != CRD_OK ||
      crd_calibrator_apply(ctx, c, held, 0, count[1], p, NULL, NULL) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  for (size_t i = 0; i < count[1]; i++)
    add(s, p + i * CLASSES, (size_t)copy[1].labels[i], argmax(copy[1].scores + i * CLASSES),
        copy[1].weights[i]);
  free(p);
  crd_calibrator_destroy(c);
  crd_predictions_destroy(train);
  crd_predictions_destroy(held);
  free_data(&copy[0]);
  free_data(&copy[1]);
}

static void expect(const crd_result *r, const char *metric, double value) {
  if (!near(value_of(r, metric), value, 1e-10))
    fail_msg("%s is %.15g, expected %.15g", metric, value_of(r, metric), value);
}

static void compare(crd_context *ctx, const char *method, bool clustered) {
  fixture f = make_fixture();
  test_data copy;
  unsigned fold[ROWS];
  sums after = { 0 };
  crd_predictions *const p = open_all(ctx, &f, clustered, &copy);
  assert_int_equal(
      crd_predictions_split(ctx, p, clustered ? CRD_SPLIT_GROUPS : CRD_SPLIT_CLASSES, FOLDS, fold),
      CRD_OK);
  for (unsigned k = 0; k < FOLDS; k++) add_fold(ctx, &f, method, fold, k, &after);
  assert_int_equal(
      crd_predictions_recalibrate(
          ctx, p, &(crd_recalibration){ .size = sizeof(crd_recalibration), .method = method }),
      CRD_OK);
  const crd_result *const r = evaluate(ctx, p, 0);
  expect(r, "nll-refinement", after.nll / after.weight);
  expect(r, "brier-refinement", after.brier / after.weight);
  expect(r, "brier-top1-refinement", after.top / after.weight);
  expect(r, "nll-calibration", value_of(r, "nll") - after.nll / after.weight);
  expect(r, "brier-calibration", value_of(r, "brier") - after.brier / after.weight);
  expect(r, "brier-top1-calibration", value_of(r, "brier-top1") - after.top / after.weight);
  crd_result_destroy(r);
  crd_predictions_destroy(p);
  free_data(&copy);
  free_data(&f.data);
}

/* Vector scaling predicts other classes: the top-1 loss is still that of the first prediction. */
static void values_equal_plain_loops(void **state) {
  compare(*state, "temperature", false);
  compare(*state, "vector", false);
  compare(*state, "temperature", true);
}

/* ---- Intervals, groups, parts. */

static void intervals_contain_the_value(void **state) {
  fixture f = make_fixture();
  test_data copy;
  crd_predictions *const p = open_all(*state, &f, false, &copy);
  assert_int_equal(crd_predictions_recalibrate(*state, p, NULL), CRD_OK);
  const crd_result *const r = evaluate(*state, p, 100);
  for (size_t i = 0; i < r->value_count; i++) {
    const crd_metric_value *const v = &r->values[i];
    if (!(v->low < v->value && v->value < v->high))
      fail_msg("%s: %g is not in %g .. %g", v->metric->name, v->value, v->low, v->high);
  }
  crd_result_destroy(r);
  crd_predictions_destroy(p);
  free_data(&copy);
  free_data(&f.data);
}

/* A group's rows keep the losses of the recalibration of all rows: the weighted mean over groups is
 * that of all rows. */
static void groups_share_one_recalibration(void **state) {
  fixture f = make_fixture();
  test_data copy;
  const crd_group_table *groups = NULL;
  double sum = 0, weight = 0;
  crd_predictions *const p = open_all(*state, &f, true, &copy);
  assert_int_equal(crd_predictions_recalibrate(*state, p, NULL), CRD_OK);
  const crd_result *const r = evaluate(*state, p, 0);
  const crd_evaluate_options options = { .size = sizeof options,
                                         .metrics = metrics,
                                         .group_by = "patient" };
  assert_int_equal(crd_evaluate_groups(*state, p, &options, &groups), CRD_OK);
  for (size_t g = 0; g < groups->count; g++) {
    double own = 0;
    for (size_t i = 0; i < ROWS; i++)
      if (f.patient[i] == groups->items[g].number) own += f.data.weights[i];
    if (!groups->items[g].result) continue; /* all weights are 0 */
    sum += own * value_of(groups->items[g].result, "nll-refinement");
    weight += own;
  }
  expect(r, "nll-refinement", sum / weight);
  crd_group_table_destroy(groups);
  crd_result_destroy(r);
  crd_predictions_destroy(p);
  free_data(&copy);
  free_data(&f.data);
}

static void expect_undefined(const crd_result *r) {
  for (size_t i = 0; i < r->value_count; i++) {
    const crd_metric_value *const v = &r->values[i];
    if (!v->metric->recalibrated) continue;
    assert_true(isnan(v->value) && isnan(v->low));
    assert_non_null(strstr(v->reason, "recalibrated by cross-validation"));
  }
}

/* Parts that were recalibrated separately are not the recalibration of the whole. */
static void merged_parts_are_undefined(void **state) {
  crd_context *const ctx = *state;
  test_data data = make_data((test_recipe){ 60, CLASSES, 3, 2, .6, 0, false, false });
  const crd_evaluate_options options = { .size = sizeof options,
                                         .metrics = metrics,
                                         .resamples = 3 };
  crd_evidence *part[2] = { NULL };
  const crd_result *r = NULL;
  for (size_t i = 0; i < 2; i++) {
    crd_predictions *const p = data_predictions(ctx, &data, 30 * i, 30 * i + 30);
    assert_int_equal(crd_predictions_recalibrate(ctx, p, NULL), CRD_OK);
    assert_int_equal(crd_evidence_gather(ctx, p, &options, 30 * i, &part[i]), CRD_OK);
    crd_predictions_destroy(p);
  }
  assert_int_equal(crd_evidence_merge(ctx, part[0], part[1]), CRD_OK);
  assert_int_equal(crd_evidence_judge(ctx, part[0], &r), CRD_OK);
  expect_undefined(r);
  for (size_t i = 0; i < r->note_count; i++) assert_null(strstr(r->notes[i], "folds"));
  crd_result_destroy(r);
  crd_evidence_destroy(part[0]);
  crd_evidence_destroy(part[1]);
  free_data(&data);
}

/* ---- Unusual rows. */

static crd_predictions *open_scores(crd_context *ctx, const double *scores, const int64_t *labels,
                                    size_t rows, size_t classes) {
  crd_predictions *p = NULL;
  const crd_predictions_parts parts = { .size = sizeof parts,
                                        .scores = crd_array_matrix(scores, CRD_F64, rows, classes),
                                        .labels = crd_array_matrix(labels, CRD_I64, rows, 1),
                                        .input = CRD_INPUT_PROBABILITIES };
  if (crd_predictions_create(ctx, &parts, &p) != CRD_OK) fail_msg("%s", crd_context_message(ctx));
  return p;
}

static bool has_note(const crd_result *r, const char *words) {
  for (size_t i = 0; i < r->note_count; i++)
    if (strstr(r->notes[i], words)) return true;
  return false;
}

/* Without recalibration, and with a single row, there is no refinement. */
static void one_row_has_no_refinement(void **state) {
  static const double scores[] = { .7, .3 };
  static const int64_t labels[] = { 0 };
  crd_predictions *const p = open_scores(*state, scores, labels, 1, 2);
  const crd_result *r = evaluate(*state, p, 0);
  expect_undefined(r);
  crd_result_destroy(r);
  assert_int_equal(crd_predictions_recalibrate(*state, p, NULL), CRD_OK);
  r = evaluate(*state, p, 0);
  assert_true(has_note(r, "one row cannot be divided into folds"));
  expect_undefined(r);
  crd_result_destroy(r);
  crd_predictions_destroy(p);
}

/* Three rows are three folds; a class is missing in every fit on the other two; probabilities are
 * exactly 0 and 1; then all rows are correct. */
static void few_and_certain_rows(void **state) {
  static const double scores[] = { .5, .5, 0, .2, .8, 0, 0, .1, .9 };
  static const double certain[] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
  static const int64_t labels[] = { 0, 1, 2 };
  const double *const both[] = { scores, certain };
  for (size_t i = 0; i < 2; i++) {
    crd_predictions *const p = open_scores(*state, both[i], labels, 3, 3);
    if (crd_predictions_recalibrate(*state, p, NULL) != CRD_OK)
      fail_msg("%s", crd_context_message(*state));
    const crd_result *const r = evaluate(*state, p, 0);
    assert_true(has_note(r, "in 3 folds"));
    assert_true(value_of(r, "nll-refinement") >= 0 && isfinite(value_of(r, "nll-refinement")));
    assert_true(value_of(r, "brier-refinement") >= 0 && value_of(r, "brier-refinement") <= 2);
    crd_result_destroy(r);
    crd_predictions_destroy(p);
  }
}

/* Of confidences alone the top-1 loss is known, and no other. */
static void pairs_have_a_top_loss(void **state) {
  enum { PAIRS = 60 };
  double confidence[PAIRS];
  unsigned char correct[PAIRS];
  crd_predictions *p = NULL;
  for (size_t i = 0; i < PAIRS; i++) {
    confidence[i] = (double)(i % 12 + 8) / 20;
    correct[i] = i % 2;
  }
  const crd_predictions_parts parts = { .size = sizeof parts,
                                        .scores = crd_array_matrix(confidence, CRD_F64, PAIRS, 1),
                                        .correct = crd_array_matrix(correct, CRD_U8, PAIRS, 1),
                                        .input = CRD_INPUT_PAIRS };
  assert_int_equal(crd_predictions_create(*state, &parts, &p), CRD_OK);
  assert_int_equal(crd_predictions_recalibrate(*state, p, NULL), CRD_OK);
  const crd_result *const r = evaluate(*state, p, 0);
  assert_true(isnan(value_of(r, "nll-refinement")));
  assert_true(value_of(r, "brier-top1-refinement") > .2);
  expect(r, "brier-top1-calibration",
         value_of(r, "brier-top1") - value_of(r, "brier-top1-refinement"));
  crd_result_destroy(r);
  crd_predictions_destroy(p);
}

static void invalid_requests_fail(void **state) {
  static const double scores[] = { .5, .5, .2, .8, .1, .9 };
  static const int64_t labels[] = { 0, 1, 1 };
  static const unsigned fold[] = { 0, 1, 2 };
  static const crd_recalibration requests[] = {
    { .size = sizeof *requests, .method = "temprature" },
    { .size = sizeof *requests, .settings = "gamma=1" },
    { .size = sizeof *requests, .folds = 1 },
    { .size = sizeof *requests, .folds = 2, .fold = fold }
  };
  crd_predictions *const p = open_scores(*state, scores, labels, 3, 2);
  for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
    assert_int_equal(crd_predictions_recalibrate(*state, p, &requests[i]), CRD_EUSAGE);
  const crd_result *const r = evaluate(*state, p, 0);
  expect_undefined(r);
  crd_result_destroy(r);
  crd_predictions_destroy(p);
}

static void lists_are_searched(void **state) {
  (void)state;
  assert_true(crd_metrics_recalibrated("all"));
  assert_true(crd_metrics_recalibrated("ece, nll-refinement"));
  assert_true(crd_metrics_recalibrated("brier-top1-calibration,ece"));
  assert_false(crd_metrics_recalibrated("nll,brier"));
  assert_false(crd_metrics_recalibrated("nll-refine"));
  assert_false(crd_metrics_recalibrated(NULL));
}

static crd_status recalibrate_all(crd_context *ctx) {
  test_data data = make_data((test_recipe){ 20, 3, 5, 2, .6, 0, false, false });
  crd_predictions *p = NULL;
  const crd_result *r = NULL;
  const crd_predictions_parts parts = { .size = sizeof parts,
                                        .scores = crd_array_matrix(data.scores, CRD_F64, 20, 3),
                                        .labels = crd_array_matrix(data.labels, CRD_I64, 20, 1),
                                        .input = CRD_INPUT_LOGITS };
  crd_status status = crd_predictions_create(ctx, &parts, &p);
  if (status == CRD_OK) status = crd_predictions_recalibrate(ctx, p, NULL);
  if (status == CRD_OK)
    status = crd_evaluate(
        ctx, p, &(crd_evaluate_options){ .size = sizeof(crd_evaluate_options), .metrics = metrics },
        &r);
  crd_result_destroy(r);
  crd_predictions_destroy(p);
  free_data(&data);
  return status;
}

/* Every allocation fails once: an error, and nothing leaks. */
static void survives_without_memory(void **state) {
  (void)state;
  crd_status status = CRD_ENOMEM;
  for (long at = 0; status != CRD_OK; at++) {
    test_allocator failing = { .fail_at = -1 };
    const crd_allocator alloc = failing_allocator(&failing);
    crd_context *ctx = NULL;
    assert_int_equal(crd_context_create(&alloc, &ctx), CRD_OK);
    failing.fail_at = failing.calls + at;
    status = recalibrate_all(ctx);
    assert_true(status == CRD_OK || status == CRD_ENOMEM);
    crd_context_destroy(ctx);
    assert_int_equal(failing.live, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(values_equal_plain_loops),
    cmocka_unit_test(intervals_contain_the_value),
    cmocka_unit_test(groups_share_one_recalibration),
    cmocka_unit_test(merged_parts_are_undefined),
    cmocka_unit_test(one_row_has_no_refinement),
    cmocka_unit_test(few_and_certain_rows),
    cmocka_unit_test(pairs_have_a_top_loss),
    cmocka_unit_test(invalid_requests_fail),
    cmocka_unit_test(lists_are_searched),
    cmocka_unit_test(survives_without_memory),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

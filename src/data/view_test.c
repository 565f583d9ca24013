/* view_test.c -- views have the same rows, and leave those they are made of as they are. */
#include "credence/evaluate.h"
#include "data/predictions.h"
#include "support.h"

#include <math.h>

enum { ROWS = 40, CLASSES = 3 };

static float scores[ROWS][CLASSES];
static int32_t labels[ROWS];
static int64_t patients[ROWS];

/* Every tenth row is ignored if `ignored`, which picks the others. */
static void fill(bool ignored) {
  for (size_t i = 0; i < ROWS; i++) {
    for (size_t k = 0; k < CLASSES; k++) scores[i][k] = (float)((i * 7 + k * 5) % 11) / 3;
    labels[i] = ignored && i % 10 == 3 ? CRD_IGNORE_LABEL : (int32_t)(i % CLASSES);
    patients[i] = (int64_t)(i / 4);
  }
}

static crd_predictions *make(crd_context *ctx, bool clustered) {
  static const char *const names[CLASSES] = { "cat", "dog", "owl" };
  static const crd_group_column column = { "patient", { 0 }, NULL, 0 };
  crd_group_column patient = column;
  patient.ids = crd_array_matrix(patients, CRD_I64, ROWS, 1);
  const crd_predictions_parts parts = { .size = sizeof parts,
                                        .scores = crd_array_matrix(scores, CRD_F32, ROWS, CLASSES),
                                        .labels = crd_array_matrix(labels, CRD_I32, ROWS, 1),
                                        .input = CRD_INPUT_LOGITS,
                                        .group_columns = &patient,
                                        .group_column_count = clustered,
                                        .class_names = names,
                                        .class_name_count = CLASSES,
                                        .name = "dump.npz" };
  crd_predictions *p = NULL;
  if (crd_predictions_create(ctx, &parts, &p) != CRD_OK) fail_msg("%s", crd_context_message(ctx));
  return p;
}

static crd_predictions *view(crd_context *ctx, const crd_predictions *from) {
  crd_predictions *p = NULL;
  if (crd_predictions_view(ctx, from, &p) != CRD_OK) fail_msg("%s", crd_context_message(ctx));
  return p;
}

/* Compares what is evaluated from both, with intervals. */
static void equal(crd_context *ctx, const crd_predictions *a, const crd_predictions *b) {
  const crd_evaluate_options how = { .size = sizeof how, .metrics = "all", .resamples = 20 };
  const crd_result *of_a, *of_b;
  assert_int_equal(crd_evaluate(ctx, a, &how, &of_a), CRD_OK);
  assert_int_equal(crd_evaluate(ctx, b, &how, &of_b), CRD_OK);
  assert_int_equal(of_a->rows, of_b->rows);
  assert_int_equal(of_a->note_count, of_b->note_count);
  for (size_t i = 0; i < of_a->note_count; i++) assert_string_equal(of_a->notes[i], of_b->notes[i]);
  for (size_t i = 0; i < of_a->value_count; i++) {
    const crd_metric_value *const v = &of_a->values[i], *const w = &of_b->values[i];
    assert_memory_equal(&v->value, &w->value, sizeof v->value);
    assert_memory_equal(&v->low, &w->low, sizeof v->low);
    assert_memory_equal(&v->high, &w->high, sizeof v->high);
  }
  crd_result_destroy(of_a);
  crd_result_destroy(of_b);
}

static void a_view_has_the_same_rows(void **state) {
  for (int ignored = 0; ignored <= 1; ignored++) {
    fill(ignored);
    crd_predictions *const p = make(*state, true), *const v = view(*state, p),
                           *const again = view(*state, v);
    assert_int_equal(crd_predictions_rows(v), ignored ? ROWS - 4 : ROWS);
    assert_string_equal(crd_predictions_name(v), "dump.npz");
    assert_string_equal(crd_predictions_cluster(v), "patient");
    assert_string_equal(crd_predictions_group_column(v, 0), "patient");
    assert_string_equal(crd_predictions_class_name(v, 2), "owl");
    if (ignored) assert_string_equal(crd_predictions_note(v, 0), crd_predictions_note(p, 0));
    else assert_null(crd_predictions_note(v, 0));
    equal(*state, p, v);
    equal(*state, p, again);
    crd_predictions_destroy(again);
    crd_predictions_destroy(v);
    equal(*state, p, p);
    crd_predictions_destroy(p);
  }
}

static void clusters_of_a_view_are_its_own(void **state) {
  for (int ignored = 0; ignored <= 1; ignored++) {
    fill(ignored);
    crd_predictions *const p = make(*state, false), *const clustered = make(*state, true),
                           *const v = view(*state, p), *const other = view(*state, clustered);
    assert_int_equal(crd_predictions_share_clusters(*state, v, other), CRD_OK);
    crd_predictions_destroy(other);
    assert_string_equal(crd_predictions_cluster(v), "patient");
    assert_null(crd_predictions_cluster(p));
    equal(*state, v, clustered);
    for (size_t i = 0; i < ROWS; i++) patients[i] += 100; /* the same patients by other numbers */
    crd_predictions *const renamed = make(*state, true), *const last = view(*state, clustered);
    const uint64_t *const keys = clustered->cluster_keys;
    assert_int_equal(crd_predictions_share_clusters(*state, last, renamed), CRD_OK);
    assert_ptr_equal(clustered->cluster_keys, keys);
    assert_memory_equal(last->cluster_keys, renamed->cluster_keys, ROWS * sizeof *keys);
    crd_predictions_destroy(last);
    crd_predictions_destroy(renamed);
    crd_predictions_destroy(v);
    crd_predictions_destroy(clustered);
    crd_predictions_destroy(p);
  }
}

static double refinement(crd_context *ctx, const crd_predictions *p) {
  const crd_evaluate_options how = { .size = sizeof how, .metrics = "nll-refinement" };
  const crd_result *result;
  assert_int_equal(crd_evaluate(ctx, p, &how, &result), CRD_OK);
  const double value = crd_result_value(result, "nll-refinement")->value;
  crd_result_destroy(result);
  return value;
}

static void recalibration_of_a_view_is_its_own(void **state) {
  fill(false);
  crd_predictions *const p = make(*state, false), *const v = view(*state, p);
  assert_int_equal(crd_predictions_recalibrate(*state, v, NULL), CRD_OK);
  assert_true(refinement(*state, v) > 0);
  assert_true(isnan(refinement(*state, p)));
  crd_predictions *const of = view(*state, v); /* a view of recalibrated rows is recalibrated */
  assert_true(refinement(*state, of) == refinement(*state, v));
  const crd_recalibration how = { .size = sizeof how, .method = "vector" };
  assert_int_equal(crd_predictions_recalibrate(*state, of, &how), CRD_OK);
  assert_true(refinement(*state, of) != refinement(*state, v));
  crd_predictions_destroy(of);
  assert_true(refinement(*state, v) > 0);
  crd_predictions_destroy(v);
  crd_predictions_destroy(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_view_has_the_same_rows),
    cmocka_unit_test(clusters_of_a_view_are_its_own),
    cmocka_unit_test(recalibration_of_a_view_is_its_own),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

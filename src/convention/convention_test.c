/* convention_test.c -- cases beyond the packages' fixtures: weights, odd input, wrong names. */
#include "support.h"

#include <math.h>
#include <string.h>

static const crd_compat_table *ask(crd_context *ctx, crd_predictions_parts parts,
                                   const char *peer) {
  crd_predictions *p = NULL;
  const crd_compat_table *table = NULL;
  if (crd_predictions_create(ctx, &parts, &p) != CRD_OK ||
      crd_compat(ctx, p, peer, 10, &table) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  crd_predictions_destroy(p);
  return table;
}

static const crd_compat_value *row(const crd_compat_table *table, const char *metric) {
  for (size_t i = 0; i < table->count; i++)
    if (strcmp(table->values[i].convention->metric, metric) == 0) return &table->values[i];
  fail_msg("%s has no %s", table->peer->name, metric);
  return NULL;
}

static void unknown_peer(void **state) {
  static const double p[] = { 0.5, 0.5 };
  static const int64_t label[] = { 0 };
  const crd_predictions_parts parts = { .size = sizeof parts,
                                        .scores = crd_array_matrix(p, CRD_F64, 1, 2),
                                        .labels = crd_array_matrix(label, CRD_I64, 1, 1) };
  crd_predictions *predictions = NULL;
  const crd_compat_table *table = (crd_compat_table *)&parts;
  assert_int_equal(crd_predictions_create(*state, &parts, &predictions), CRD_OK);
  assert_int_equal(crd_compat(*state, predictions, "netcat", 0, &table), CRD_EUSAGE);
  assert_null(table);
  assert_string_equal(crd_context_message(*state), "unknown peer 'netcat'; did you mean 'netcal'?");
  crd_predictions_destroy(predictions);
  crd_compat_destroy(NULL);
}

/* A weight of 2 equals two copies of the row, for the metrics of sklearn that take weights. */
static void weights_are_taken_by_sklearn_alone(void **state) {
  static const double p[] = { 0.9, 0.1, 0, 0.2, 0.5, 0.3, 0.1, 0.1, 0.8, 0.1, 0.1, 0.8 };
  static const int64_t label[] = { 0, 2, 2, 2 };
  static const double weight[] = { 1, 1, 2 };
  static const char *const weighted[] = { "brier", "nll", "auroc", "aupr-success", "aupr-error" };
  crd_predictions_parts once = { .size = sizeof once,
                                 .scores = crd_array_matrix(p, CRD_F64, 3, 3),
                                 .labels = crd_array_matrix(label, CRD_I64, 3, 1),
                                 .weights = crd_array_matrix(weight, CRD_F64, 3, 1),
                                 .input = CRD_INPUT_PROBABILITIES };
  crd_predictions_parts twice = once;
  twice.scores.dims[0] = twice.labels.dims[0] = 4;
  twice.weights.data = NULL;
  const crd_compat_table *const a = ask(*state, once, "sklearn"), *const b =
                                                                      ask(*state, twice, "sklearn");
  for (size_t i = 0; i < sizeof weighted / sizeof *weighted; i++)
    assert_true(near(row(a, weighted[i])->value, row(b, weighted[i])->value, 1e-15));
  assert_false(near(row(a, "ece")->value, row(b, "ece")->value, 1e-6));
  assert_non_null(a->note);
  assert_null(b->note);
  crd_compat_destroy(a);
  crd_compat_destroy(b);
}

/* The packages differ widely if rounding puts a probability above 1. */
static void a_probability_above_one(void **state) {
  static const float p[] = { 1.0000001F, 0, 0, 1, 0.25F, 0.75F };
  static const int64_t label[] = { 0, 1, 0 };
  const crd_predictions_parts parts = { .size = sizeof parts,
                                        .scores = crd_array_matrix(p, CRD_F32, 3, 2),
                                        .labels = crd_array_matrix(label, CRD_I64, 3, 1),
                                        .input = CRD_INPUT_PROBABILITIES };
  const crd_compat_table *table = ask(*state, parts, "sklearn");
  assert_true(isnan(row(table, "brier")->value));
  assert_string_equal(row(table, "brier")->reason, "sklearn fails for probabilities above 1");
  crd_compat_destroy(table);
  table = ask(*state, parts, "focal");
  assert_true(isnan(row(table, "mce")->value));
  crd_compat_destroy(table);
  /* torchmetrics takes all of them for logits: its confidences are 0.731, 0.731 and 0.622. */
  table = ask(*state, parts, "torchmetrics");
  assert_true(near(row(table, "mce")->value, 1 / (1 + exp(-0.5)), 1e-6));
  assert_true(near(row(table, "ece")->value,
                   (2 * (1 - 1 / (1 + exp(-1))) + 1 / (1 + exp(-0.5))) / 3, 1e-6));
  crd_compat_destroy(table);
}

/* Our values are computed too, whatever the metrics of the evaluation are. */
static void ours_stand_beside(void **state) {
  test_data data = make_data((test_recipe){ 200, 4, 9, 3, 0.6, 0, false, false });
  crd_predictions *const p = data_predictions(*state, &data, 0, 200);
  for (size_t i = 0; i < crd_peer_count(); i++) {
    const crd_compat_table *table = NULL;
    const crd_result *result = NULL;
    assert_int_equal(crd_compat(*state, p, crd_peer_at(i)->name, 0, &table), CRD_OK);
    assert_int_equal(crd_evaluate(*state, p,
                                  &(crd_evaluate_options){ .size = sizeof(crd_evaluate_options),
                                                           .metrics = "all" },
                                  &result),
                     CRD_OK);
    assert_int_equal(table->bins, 15);
    for (size_t j = 0; j < table->count; j++)
      assert_true(
          same_bits(table->values[j].ours, value_of(result, table->values[j].convention->metric)));
    crd_result_destroy(result);
    crd_compat_destroy(table);
  }
  crd_predictions_destroy(p);
  free_data(&data);
}

/* Rows with the ignored label do not count, wherever they are. */
static void ignored_rows_are_left_out(void **state) {
  enum { ROWS = 120, CLASSES = 3 };
  static double with[2 * ROWS * CLASSES];
  static int64_t label[2 * ROWS];
  test_data data = make_data((test_recipe){ ROWS, CLASSES, 5, 2, 0.6, 0, false, false });
  for (size_t i = 0; i < 2 * ROWS; i++) {
    const size_t from = i / 2;
    label[i] = i % 2 ? CRD_IGNORE_LABEL : data.labels[from];
    for (size_t k = 0; k < CLASSES; k++)
      with[i * CLASSES + k] = data.scores[from * CLASSES + (i % 2 ? CLASSES - 1 - k : k)];
  }
  const crd_predictions_parts all = { .size = sizeof all,
                                      .scores = crd_array_matrix(with, CRD_F64, 2 * ROWS, CLASSES),
                                      .labels = crd_array_matrix(label, CRD_I64, 2 * ROWS, 1),
                                      .input = CRD_INPUT_LOGITS };
  const crd_predictions_parts kept = { .size = sizeof kept,
                                       .scores =
                                           crd_array_matrix(data.scores, CRD_F64, ROWS, CLASSES),
                                       .labels = crd_array_matrix(data.labels, CRD_I64, ROWS, 1),
                                       .input = CRD_INPUT_LOGITS };
  for (size_t i = 0; i < crd_peer_count(); i++) {
    const crd_compat_table *const a = ask(*state, all, crd_peer_at(i)->name);
    const crd_compat_table *const b = ask(*state, kept, crd_peer_at(i)->name);
    for (size_t j = 0; j < a->count; j++)
      if (!same_bits(a->values[j].value, b->values[j].value))
        fail_msg("%s %s: %.17g, without ignored rows %.17g", a->peer->name,
                 a->values[j].convention->metric, a->values[j].value, b->values[j].value);
    crd_compat_destroy(a);
    crd_compat_destroy(b);
  }
  free_data(&data);
}

static void bad_rows_are_named(void **state) {
  static const double z[] = { 3, -1, (double)NAN, 2 };
  static const int64_t label[] = { 0, 1 };
  const crd_predictions_parts parts = { .size = sizeof parts,
                                        .scores = crd_array_matrix(z, CRD_F64, 2, 2),
                                        .labels = crd_array_matrix(label, CRD_I64, 2, 1),
                                        .input = CRD_INPUT_LOGITS,
                                        .trusted = 1,
                                        .name = "z.npy" };
  crd_predictions *p = NULL;
  const crd_compat_table *table = NULL;
  assert_int_equal(crd_predictions_create(*state, &parts, &p), CRD_OK);
  assert_int_equal(crd_compat(*state, p, "focal", 0, &table), CRD_EINPUT);
  assert_non_null(strstr(crd_context_message(*state), "row 1, class 0 is NaN"));
  assert_null(table);
  crd_predictions_destroy(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(unknown_peer),
    cmocka_unit_test(weights_are_taken_by_sklearn_alone),
    cmocka_unit_test(a_probability_above_one),
    cmocka_unit_test(ours_stand_beside),
    cmocka_unit_test(ignored_rows_are_left_out),
    cmocka_unit_test(bad_rows_are_named),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

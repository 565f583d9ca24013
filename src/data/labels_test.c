/* labels_test.c -- labels of two models on the same rows. */
#include "data/predictions.h"
#include "data/rows.h"
#include "support.h"

#include <stdio.h>
#include <string.h>

enum { ROWS = 4, CLASSES = 3 };

static const float scores[ROWS][CLASSES] = { { 3, 1, 0 }, { 0, 1, 3 }, { 1, 2, 0 }, { 1, 0, 4 } };
static const double confidence[ROWS] = { .9, .5, .8, .7 };
static const char *const animals[CLASSES] = { "cat", "dog", "bird" };
static const char *const others[CLASSES] = { "bird", "cat", "dog" };
static const char *const numbers[CLASSES] = { "0", "1", "2" };

static crd_predictions *make(crd_context *ctx, const int64_t labels[ROWS],
                             const char *const *class_names, const char *name) {
  const crd_predictions_parts parts = { .size = sizeof parts,
                                        .scores = crd_array_matrix(scores, CRD_F32, ROWS, CLASSES),
                                        .labels = crd_array_matrix(labels, CRD_I64, ROWS, 1),
                                        .class_names = class_names,
                                        .class_name_count = class_names ? CLASSES : 0,
                                        .input = CRD_INPUT_LOGITS,
                                        .labels_name = "labels",
                                        .name = name };
  crd_predictions *p;
  if (crd_predictions_create(ctx, &parts, &p) != CRD_OK) fail_msg("%s", crd_context_message(ctx));
  return p;
}

/* Confidences of the predicted class; labels NULL: only which are correct. */
static crd_predictions *make_pairs(crd_context *ctx, const int64_t labels[ROWS]) {
  static const int64_t predicted[ROWS] = { 0, 2, 1, 2 }, correct[ROWS] = { 1, 1, 1, 0 };
  crd_predictions_parts parts = { .size = sizeof parts,
                                  .scores = crd_array_matrix(confidence, CRD_F64, ROWS, 1),
                                  .input = CRD_INPUT_PAIRS,
                                  .labels_name = "labels",
                                  .name = "pairs.csv" };
  if (labels) parts.labels = crd_array_matrix(labels, CRD_I64, ROWS, 1);
  if (labels) parts.predicted = crd_array_matrix(predicted, CRD_I64, ROWS, 1);
  else parts.correct = crd_array_matrix(correct, CRD_I64, ROWS, 1);
  crd_predictions *p;
  if (crd_predictions_create(ctx, &parts, &p) != CRD_OK) fail_msg("%s", crd_context_message(ctx));
  return p;
}

/* Destroys both; returns the message, "" if the labels match. */
static const char *match(crd_context *ctx, crd_predictions *a, crd_predictions *b) {
  static char message[300];
  bool same;
  size_t row;
  const crd_status status = crd_predictions_match_labels(ctx, a, b);
  assert_int_equal(crd__data_labels_compare(ctx, a, b, &same, &row), CRD_OK);
  assert_true((status == CRD_OK) == (row == SIZE_MAX));
  assert_true(status == CRD_OK || (status == CRD_EINPUT && !same));
  snprintf(message, sizeof message, "%s", status == CRD_OK ? "" : crd_context_message(ctx));
  crd_predictions_destroy(a);
  crd_predictions_destroy(b);
  return message;
}

static const int64_t truth[ROWS] = { 0, 2, 1, 1 }, wrong[ROWS] = { 0, 2, 1, 2 };

static void the_last_row_differs(void **state) {
  crd_context *ctx = *state;
  assert_string_equal(match(ctx, make(ctx, truth, NULL, "a"), make(ctx, truth, animals, "b")), "");
  assert_string_equal(
      match(ctx, make(ctx, truth, NULL, "a"), make(ctx, wrong, animals, "b")),
      "b: labels row 3: found class 2 (bird), expected 1 as in a: pairs must be the "
      "same rows in the same order");
}

/* cat, dog, bird are classes 0, 1, 2 of one model, and 1, 2, 0 of the other. */
static void names_are_stronger_than_indices(void **state) {
  static const int64_t moved[ROWS] = { 1, 0, 2, 2 };
  crd_context *ctx = *state;
  assert_string_equal(match(ctx, make(ctx, truth, animals, "a"), make(ctx, moved, others, "b")),
                      "");
  assert_string_equal(match(ctx, make(ctx, truth, animals, "a"), make(ctx, truth, numbers, "b")),
                      "");
  assert_non_null(strstr(match(ctx, make(ctx, truth, animals, "a"), make(ctx, truth, others, "b")),
                         "b: labels row 0: found class 0 (bird), expected 0 (cat) as in a"));
}

/* Labels of confidences are compared too; `correct` says nothing about them. */
static void confidences_have_labels(void **state) {
  crd_context *ctx = *state;
  assert_string_equal(match(ctx, make_pairs(ctx, truth), make_pairs(ctx, truth)), "");
  assert_non_null(strstr(match(ctx, make(ctx, truth, animals, "a"), make_pairs(ctx, wrong)),
                         "pairs.csv: labels row 3: found class 2, expected 1 (dog) as in a"));
  assert_string_equal(match(ctx, make_pairs(ctx, NULL), make_pairs(ctx, truth)), "");
}

/* Rows with the label -100 are left out, but keep their numbers. */
static void other_rows_are_not_compared(void **state) {
  static const int64_t second[ROWS] = { 0, CRD_IGNORE_LABEL, 1, 1 };
  static const int64_t third[ROWS] = { 0, 2, CRD_IGNORE_LABEL, 2 };
  crd_context *ctx = *state;
  bool same;
  size_t row;
  crd_predictions *const a = make(ctx, second, NULL, "a"), *const b = make(ctx, third, NULL, "b");
  assert_int_equal(crd__data_labels_compare(ctx, a, b, &same, &row), CRD_OK);
  assert_true(!same && row == SIZE_MAX);
  assert_string_equal(match(ctx, a, b), "");
  assert_string_equal(match(ctx, make(ctx, truth, NULL, "a"), make(ctx, third, NULL, "b")), "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_last_row_differs),
    cmocka_unit_test(names_are_stronger_than_indices),
    cmocka_unit_test(confidences_have_labels),
    cmocka_unit_test(other_rows_are_not_compared),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

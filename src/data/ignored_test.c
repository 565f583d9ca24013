/* ignored_test.c -- rows with the label -100 have no effect, except on row numbers. */
#include "data/predictions.h"
#include "data/rows.h"
#include "support.h"

#include <math.h>
#include <string.h>

enum { ROWS = 12, CLASSES = 3 };

typedef struct {
  float scores[ROWS][CLASSES];
  int32_t labels[ROWS];
  double weights[ROWS];
  int64_t groups[ROWS];
  size_t rows;
} table;

/* Every third row from row 1 on is ignored, or absent. Ignored rows are padding: NaN scores, and a
 * weight larger than all others. */
static table make(bool without) {
  table t = { .rows = 0 };
  for (size_t i = 0; i < ROWS; i++) {
    const bool ignored = i % 3 == 1;
    const size_t at = t.rows;
    if (ignored && without) continue;
    for (size_t k = 0; k < CLASSES; k++)
      t.scores[at][k] = ignored ? (float)NAN : (float)((i * 7 + k * 5) % 11) / 3;
    t.labels[at] = ignored ? CRD_IGNORE_LABEL : (int32_t)(i % CLASSES);
    t.weights[at] = ignored ? 1e200 : 1 + (double)(i % 4);
    t.groups[at] = (int64_t)(i % 2);
    t.rows++;
  }
  return t;
}

static crd_predictions_parts parts_of(const table *t) {
  return (crd_predictions_parts){ .size = sizeof(crd_predictions_parts),
                                  .scores = crd_array_matrix(t->scores, CRD_F32, t->rows, CLASSES),
                                  .labels = crd_array_matrix(t->labels, CRD_I32, t->rows, 1),
                                  .weights = crd_array_matrix(t->weights, CRD_F64, t->rows, 1),
                                  .groups = crd_array_matrix(t->groups, CRD_I64, t->rows, 1),
                                  .input = CRD_INPUT_LOGITS,
                                  .name = "dump.npz" };
}

static crd_predictions *create(crd_context *ctx, const table *t) {
  const crd_predictions_parts parts = parts_of(t);
  crd_predictions *p;
  if (crd_predictions_create(ctx, &parts, &p) != CRD_OK) fail_msg("%s", crd_context_message(ctx));
  return p;
}

static void rows_are_left_out(void **state) {
  const table with = make(false), without = make(true);
  crd_predictions *a = create(*state, &with), *b = create(*state, &without);
  assert_int_equal(crd_predictions_rows(a), 8);
  assert_string_equal(crd_predictions_note(a, 0),
                      "4 of 12 rows have the label -100 (ignored) and are left out");
  assert_null(crd_predictions_note(b, 0));
  const crd_result *x, *y;
  const crd_evaluate_options all = { .size = sizeof all, .metrics = "all", .resamples = 0 };
  assert_int_equal(crd_evaluate(*state, a, &all, &x), CRD_OK);
  assert_int_equal(crd_evaluate(*state, b, &all, &y), CRD_OK);
  assert_true(x->value_count > 20 && x->value_count == y->value_count && x->rows == y->rows);
  for (size_t i = 0; i < x->value_count; i++)
    assert_true(same_bits(x->values[i].value, y->values[i].value));
  crd_result_destroy(x);
  crd_result_destroy(y);
  crd_predictions_destroy(a);
  crd_predictions_destroy(b);
}

/* Scores that are probabilities except in padding are recognised. */
static void padding_does_not_hide_probabilities(void **state) {
  static const double scores[3][2] = { { .25, .75 }, { 0, 0 }, { .5, .5 } };
  static const int8_t labels[3] = { 1, CRD_IGNORE_LABEL, 0 };
  const crd_predictions_parts parts = { .size = sizeof parts,
                                        .scores = crd_array_matrix(scores, CRD_F64, 3, 2),
                                        .labels = crd_array_matrix(labels, CRD_I8, 3, 1) };
  crd_predictions *p;
  assert_int_equal(crd_predictions_create(*state, &parts, &p), CRD_OK);
  assert_int_equal(crd_predictions_input(p), CRD_INPUT_PROBABILITIES);
  crd_predictions_destroy(p);
}

static void messages_name_rows_of_the_file(void **state) {
  table t = make(false);
  t.labels[5] = 7;
  crd_predictions *p = create(*state, &t);
  size_t label;
  assert_int_equal(crd__data_labels_read(*state, p, 3, 1, &label), CRD_EINPUT);
  assert_non_null(strstr(crd_context_message(*state), "labels row 5: found class 7"));
  crd_predictions_destroy(p);
}

static void others_are_refused(void **state) {
  table t = make(false);
  size_t label;
  t.labels[0] = -1;
  crd_predictions *p = create(*state, &t);
  assert_int_equal(crd__data_labels_read(*state, p, 0, 1, &label), CRD_EINPUT);
  assert_non_null(strstr(crd_context_message(*state), "labels row 0: found class -1"));
  crd_predictions_destroy(p);
  for (size_t i = 0; i < ROWS; i++) t.labels[i] = CRD_IGNORE_LABEL;
  const crd_predictions_parts parts = parts_of(&t);
  assert_int_equal(crd_predictions_create(*state, &parts, &p), CRD_EINPUT);
  assert_string_equal(crd_context_message(*state),
                      "dump.npz: all 12 rows have the label -100 (ignored)");
}

static void rows_may_stay(void **state) {
  table t = make(false);
  for (size_t i = 0; i < ROWS; i++) t.weights[i] = 1;
  crd_predictions_parts parts = parts_of(&t);
  crd_predictions *p;
  parts.keep_ignored = 1;
  assert_int_equal(crd_predictions_create(*state, &parts, &p), CRD_OK);
  assert_int_equal(crd_predictions_rows(p), ROWS);
  assert_string_equal(crd_predictions_note(p, 0),
                      "4 of 12 rows have the label -100: they count as unlabelled");
  assert_true(crd__data_label_is_ignored(p, 1));
  assert_false(crd__data_label_is_ignored(p, 2));
  crd_predictions_destroy(p);
}

/* Parts of a file, merged, equal the whole: resamples follow its row numbers. */
static void parts_make_the_whole(void **state) {
  const table t = make(false);
  const crd_evaluate_options options = { .size = sizeof options,
                                         .metrics = "all",
                                         .resamples = 50 };
  crd_evidence *whole, *merged = NULL;
  const crd_result *x, *y;
  crd_predictions *p = create(*state, &t);
  assert_int_equal(crd_evidence_gather(*state, p, &options, 0, &whole), CRD_OK);
  crd_predictions_destroy(p);
  for (size_t from = 0; from < ROWS; from += 4) {
    crd_predictions_parts parts = parts_of(&t);
    crd_array *const views[] = { &parts.scores, &parts.labels, &parts.weights, &parts.groups };
    for (size_t i = 0; i < 4; i++) *views[i] = crd_array_slice(*views[i], from, from + 4);
    crd_evidence *evidence;
    assert_int_equal(crd_predictions_create(*state, &parts, &p), CRD_OK);
    assert_int_equal(crd_evidence_gather(*state, p, &options, from, &evidence), CRD_OK);
    crd_predictions_destroy(p);
    if (from == 0) merged = evidence;
    else {
      assert_int_equal(crd_evidence_merge(*state, merged, evidence), CRD_OK);
      crd_evidence_destroy(evidence);
    }
  }
  assert_int_equal(crd_evidence_judge(*state, whole, &x), CRD_OK);
  assert_int_equal(crd_evidence_judge(*state, merged, &y), CRD_OK);
  assert_true(x->rows == 8 && y->rows == 8 && x->resamples == 50 && y->resamples == 50);
  for (size_t i = 0; i < x->value_count; i++) {
    assert_true(same_bits(x->values[i].value, y->values[i].value));
    assert_true(same_bits(x->values[i].low, y->values[i].low));
    assert_true(same_bits(x->values[i].high, y->values[i].high));
  }
  crd_result_destroy(x);
  crd_result_destroy(y);
  crd_evidence_destroy(whole);
  crd_evidence_destroy(merged);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(rows_are_left_out),
    cmocka_unit_test(padding_does_not_hide_probabilities),
    cmocka_unit_test(messages_name_rows_of_the_file),
    cmocka_unit_test(others_are_refused),
    cmocka_unit_test(rows_may_stay),
    cmocka_unit_test(parts_make_the_whole),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

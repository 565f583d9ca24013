/* groups_test.c -- evaluating a group equals evaluating a copy of its rows. */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 400, CLASSES = 5, GROUPS = 7 };

static const crd_evaluate_options everything = { .size = sizeof everything,
                                                 .metrics = "all",
                                                 .resamples = 8 };

/* The same values in four layouts: float64, float32, column-major, and a single column; in two of
 * them rows are clustered by patient. */
typedef struct {
  test_data data;
  int64_t groups[ROWS], patient[ROWS];
  crd_group_column person;
  float single[ROWS][CLASSES];
  double by_column[CLASSES][ROWS];
  unsigned char correct[ROWS];
  double confidence[ROWS];
} fixture;

static int64_t group_of(size_t i) { return (int64_t)(i * i % 11 % GROUPS) - 3; }

static void set_up(fixture *f, bool weighted) {
  f->data = make_data((test_recipe){ .rows = ROWS,
                                     .classes = CLASSES,
                                     .seed = 4,
                                     .spread = 2,
                                     .accuracy = .6,
                                     .distinct = 90,
                                     .weighted = weighted });
  for (size_t i = 0; i < ROWS; i++) {
    f->groups[i] = group_of(i);
    f->patient[i] = (int64_t)(i * i % 23);
    f->correct[i] = i % 3 > 0;
    f->confidence[i] = (double)(i % 17 + 1) / 18;
    for (size_t k = 0; k < CLASSES; k++) {
      f->single[i][k] = (float)f->data.scores[i * CLASSES + k];
      f->by_column[k][i] = f->data.scores[i * CLASSES + k];
    }
  }
}

static crd_predictions_parts parts_of(fixture *f, size_t shape) {
  crd_array columns = crd_array_matrix(f->by_column, CRD_F64, ROWS, CLASSES);
  columns.strides[0] = sizeof(double);
  columns.strides[1] = ROWS * sizeof(double);
  const crd_array shapes[] = { crd_array_matrix(f->data.scores, CRD_F64, ROWS, CLASSES),
                               crd_array_matrix(f->single, CRD_F32, ROWS, CLASSES), columns,
                               crd_array_matrix(f->confidence, CRD_F64, ROWS, 1) };
  crd_predictions_parts parts = { .size = sizeof parts,
                                  .scores = shapes[shape],
                                  .groups = crd_array_matrix(f->groups, CRD_I64, ROWS, 1),
                                  .input = shape == 3 ? CRD_INPUT_PAIRS : CRD_INPUT_LOGITS };
  if (shape == 3) parts.correct = crd_array_matrix(f->correct, CRD_U8, ROWS, 1);
  else parts.labels = crd_array_matrix(f->data.labels, CRD_I64, ROWS, 1);
  f->person =
      (crd_group_column){ "patient", crd_array_matrix(f->patient, CRD_I64, ROWS, 1), NULL, 0 };
  parts.group_columns = &f->person;
  parts.group_column_count = shape % 2;
  if (f->data.weights) parts.weights = crd_array_matrix(f->data.weights, CRD_F64, ROWS, 1);
  return parts;
}

static crd_predictions *make(crd_context *ctx, const crd_predictions_parts *parts) {
  crd_predictions *p = NULL;
  if (crd_predictions_create(ctx, parts, &p) != CRD_OK) fail_msg("%s", crd_context_message(ctx));
  return p;
}

static const crd_group_table *measure(crd_context *ctx, const crd_predictions *p) {
  const crd_group_table *table = NULL;
  if (crd_evaluate_groups(ctx, p, &everything, &table) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  return table;
}

/* The rows of one group moved to the front of every array. */
static size_t move_to_front(fixture *f, int64_t group) {
  size_t count = 0;
  for (size_t i = 0; i < ROWS; i++) {
    if (f->groups[i] != group) continue;
    for (size_t k = 0; k < CLASSES; k++) {
      f->data.scores[count * CLASSES + k] = f->data.scores[i * CLASSES + k];
      f->single[count][k] = f->single[i][k];
      f->by_column[k][count] = f->by_column[k][i];
    }
    f->data.labels[count] = f->data.labels[i];
    f->patient[count] = f->patient[i];
    if (f->data.weights) f->data.weights[count] = f->data.weights[i];
    f->correct[count] = f->correct[i];
    f->confidence[count++] = f->confidence[i];
  }
  return count;
}

static void compare_with_copy(crd_context *ctx, const crd_group *group, size_t shape,
                              bool weighted) {
  fixture *const f = calloc(1, sizeof *f);
  set_up(f, weighted);
  const size_t count = move_to_front(f, group->number);
  crd_predictions_parts parts = parts_of(f, shape);
  crd_array *const views[] = { &parts.scores,  &parts.labels, &parts.correct,
                               &parts.weights, &parts.groups, &f->person.ids };
  for (size_t i = 0; i < sizeof views / sizeof *views; i++) views[i]->dims[0] = (int64_t)count;
  crd_predictions *const p = make(ctx, &parts);
  const crd_result *alone = NULL;
  assert_int_equal(crd_evaluate(ctx, p, &everything, &alone), CRD_OK);
  assert_int_equal(group->rows, count);
  assert_int_equal(alone->value_count, group->result->value_count);
  for (size_t i = 0; i < alone->value_count; i++) {
    const crd_metric_value *const a = &alone->values[i], *const b = &group->result->values[i];
    if (!same_bits(a->value, b->value) || !same_bits(a->low, b->low))
      fail_msg("%s of group %lld: %.17g, alone %.17g", a->metric->name, (long long)group->number,
               b->value, a->value);
  }
  crd_result_destroy(alone);
  crd_predictions_destroy(p);
  free_data(&f->data);
  free(f);
}

static void a_group_is_its_rows(void **state) {
  for (size_t shape = 0; shape < 4; shape++)
    for (int weighted = 0; weighted < 2; weighted++) {
      fixture *const f = calloc(1, sizeof *f);
      set_up(f, weighted);
      const crd_predictions_parts parts = parts_of(f, shape);
      crd_predictions *const p = make(*state, &parts);
      const crd_group_table *const table = measure(*state, p);
      assert_true(table->count > 4);
      for (size_t g = 0; g < table->count; g++) {
        if (g) assert_true(table->items[g].number > table->items[g - 1].number);
        compare_with_copy(*state, &table->items[g], shape, weighted);
      }
      crd_group_table_destroy(table);
      crd_predictions_destroy(p);
      free_data(&f->data);
      free(f);
    }
}

static const double scores[4][2] = { { 1, 0 }, { 0, 2 }, { 3, 0 }, { 0, 1 } };
static const int64_t labels[4] = { 0, 1, 1, 1 }, sides[4] = { 1, 0, 1, 0 };

static crd_predictions_parts small(void) {
  return (crd_predictions_parts){ .size = sizeof(crd_predictions_parts),
                                  .scores = crd_array_matrix(scores, CRD_F64, 4, 2),
                                  .labels = crd_array_matrix(labels, CRD_I64, 4, 1),
                                  .groups = crd_array_matrix(sides, CRD_I64, 4, 1),
                                  .input = CRD_INPUT_LOGITS,
                                  .first_row = 100 };
}

static void groups_have_names_and_may_weigh_nothing(void **state) {
  static const char *const names[] = { "left", "right" };
  static const double weights[4] = { 1, 0, 2, 0 };
  crd_predictions_parts parts = small();
  parts.group_names = names;
  parts.group_name_count = 2;
  parts.weights = crd_array_matrix(weights, CRD_F64, 4, 1);
  crd_predictions *const p = make(*state, &parts);
  const crd_group_table *const table = measure(*state, p);
  assert_int_equal(table->count, 2);
  assert_string_equal(table->items[0].name, "left");
  assert_null(table->items[0].result);
  assert_string_equal(table->items[1].name, "right");
  assert_true(value_of(table->items[1].result, "accuracy") == 1.0 / 3);
  crd_group_table_destroy(table);
  crd_predictions_destroy(p);
}

/* One table per requested column, in order; by default all but the clusters. */
static void columns_are_measured_in_turn(void **state) {
  static const int64_t persons[4] = { 9, 9, 8, 8 };
  static const char *const wards[] = { "A", "B" };
  const crd_group_column columns[] = {
    { "ward", crd_array_matrix(sides, CRD_I64, 4, 1), wards, 2 },
    { "patient", crd_array_matrix(persons, CRD_I64, 4, 1), NULL, 0 },
  };
  static const struct {
    const char *asked, *columns;
  } cases[] = { { NULL, "groups,groups,ward,ward," },
                { "patient,ward", "patient,patient,ward,ward," },
                { "ward", "ward,ward," } };
  crd_predictions_parts parts = small();
  parts.group_columns = columns;
  parts.group_column_count = 2;
  crd_predictions *p = make(*state, &parts);
  const crd_group_table *table = NULL;
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    const crd_evaluate_options what = { .size = sizeof what,
                                        .resamples = 5,
                                        .group_by = cases[c].asked };
    char found[100] = "";
    assert_int_equal(crd_evaluate_groups(*state, p, &what, &table), CRD_OK);
    for (size_t i = 0; i < table->count; i++) {
      strcat(found, table->items[i].column);
      strcat(found, ",");
      /* One patient has no interval. */
      if (strcmp(table->items[i].column, "patient") == 0)
        assert_true(isnan(table->items[i].result->values[0].low));
      if (strcmp(table->items[i].column, "ward") == 0) assert_non_null(table->items[i].name);
    }
    assert_string_equal(found, cases[c].columns);
    crd_group_table_destroy(table);
  }
  const crd_evaluate_options missing = { .size = sizeof missing, .group_by = "ward,floor" };
  assert_int_equal(crd_evaluate_groups(*state, p, &missing, &table), CRD_EINPUT);
  assert_non_null(strstr(crd_context_message(*state), "no group column 'floor'"));
  crd_predictions_destroy(p);
  parts.groups.data = NULL; /* patients alone can be groups too */
  parts.group_columns = columns + 1;
  parts.group_column_count = 1;
  p = make(*state, &parts);
  assert_int_equal(crd_evaluate_groups(*state, p, NULL, &table), CRD_OK);
  assert_int_equal(table->count, 2);
  crd_group_table_destroy(table);
  crd_predictions_destroy(p);
}

static void errors_name_their_cause(void **state) {
  static const int64_t bad[4] = { 0, 1, 2, 1 };
  crd_predictions_parts parts = small();
  const crd_group_table *table = NULL;
  parts.groups.data = NULL;
  crd_predictions *p = make(*state, &parts);
  assert_int_equal(crd_evaluate_groups(*state, p, NULL, &table), CRD_EINPUT);
  assert_non_null(strstr(crd_context_message(*state), "predictions: no groups"));
  crd_predictions_destroy(p);
  parts = small();
  parts.labels.data = bad;
  p = make(*state, &parts);
  assert_int_equal(crd_evaluate_groups(*state, p, NULL, &table), CRD_EINPUT);
  assert_non_null(strstr(crd_context_message(*state), "labels row 102: found class 2"));
  assert_null(table);
  crd_predictions_destroy(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_group_is_its_rows),
    cmocka_unit_test(groups_have_names_and_may_weigh_nothing),
    cmocka_unit_test(columns_are_measured_in_turn),
    cmocka_unit_test(errors_name_their_cause),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

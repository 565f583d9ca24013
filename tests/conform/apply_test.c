/*
 * apply_test.c -- applying into a file and evaluating the file gives the same bits as applying and
 * evaluating in memory: for every method and scope, kind of data and format.
 */
#include "support.h"

#include "data/array.h"
#include "data/predictions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROWS = 700, CLASSES = 4 };

typedef enum { LOGITS, PROBABILITIES, BINARY, PAIRS, KINDS } kind;

typedef struct {
  test_data data;
  double scores[ROWS * CLASSES];
  double one_hot[ROWS * CLASSES];
  unsigned char correct[ROWS];
  int16_t groups[ROWS];
  crd_predictions_parts parts;
} fixture;

static const char *const site_names[] = { "north", "south, \"old\"", "west" };

static const char *const class_names[] = { "</script>", " a \"b\", c ",
                                           "gr\xc3\xbc\xc3\x9f \xf0\x9f\x90\xb1", "7" };

static void set_up(kind k, fixture *f) {
  const size_t classes = k == BINARY ? 2 : CLASSES;
  f->data = make_data((test_recipe){ ROWS, classes, k + 11, 2, .7, 0, k != LOGITS, false });
  f->parts = (crd_predictions_parts){
    .size = sizeof(crd_predictions_parts),
    .scores = crd_array_matrix(f->data.scores, CRD_F64, ROWS, classes),
    .labels = crd_array_matrix(f->data.labels, CRD_I64, ROWS, 1),
    .features = data_features(&f->data),
    .input = CRD_INPUT_LOGITS,
  };
  for (size_t i = 0; i < ROWS; i++) {
    f->groups[i] = (int16_t)(i % 3);
    f->correct[i] = i % 5 > 1;
    f->one_hot[i * CLASSES + (size_t)f->data.labels[i]] = 1;
  }
  if (f->data.weights) f->parts.weights = crd_array_matrix(f->data.weights, CRD_F64, ROWS, 1);
  if (k == BINARY || k == PROBABILITIES) {
    f->parts.class_names = class_names;
    f->parts.class_name_count = classes;
  }
  if (k == BINARY) { /* the score of class 1 only */
    for (size_t i = 0; i < ROWS; i++) f->scores[i] = f->data.scores[2 * i + 1];
    f->parts.scores = crd_array_matrix(f->scores, CRD_F64, ROWS, 1);
  }
  if (k == PROBABILITIES) { /* not quite normalised, of another type, with one-hot labels */
    for (size_t i = 0; i < ROWS * CLASSES; i++)
      f->scores[i] = i % CLASSES ? .9 / (CLASSES - 1) - 1e-4 * (double)(i / CLASSES % 7) : .1;
    f->parts.scores = crd_array_matrix(f->scores, CRD_F64, ROWS, CLASSES);
    f->parts.labels = crd_array_matrix(f->one_hot, CRD_F64, ROWS, CLASSES);
    f->parts.groups = crd_array_matrix(f->groups, CRD_I16, ROWS, 1);
    f->parts.group_names = site_names;
    f->parts.group_name_count = 3;
    f->parts.input = CRD_INPUT_PROBABILITIES;
    f->parts.trusted = 1;
  }
  if (k == PAIRS) {
    for (size_t i = 0; i < ROWS; i++) f->scores[i] = (double)(i * 7919 % 997 + 1) / 999;
    f->parts.scores = crd_array_matrix(f->scores, CRD_F64, ROWS, 1);
    f->parts.correct = crd_array_matrix(f->correct, CRD_U8, ROWS, 1);
    f->parts.labels.data = NULL;
    f->parts.input = CRD_INPUT_PAIRS;
  }
}

static void works(crd_context *ctx, crd_status status, const char *what) {
  if (status != CRD_OK) fail_msg("%s: %s", what, crd_context_message(ctx));
}

static void compare(crd_context *ctx, const char *what, const crd_predictions *in_memory,
                    const crd_predictions *in_file) {
  /* Together these metrics read every column; the costly ones would add nothing. */
  const crd_evaluate_options all = { .size = sizeof all,
                                     .metrics = "accuracy,ece,nll,brier,sce,entropy,auroc,aurc" };
  const crd_result *a = NULL, *b = NULL;
  works(ctx, crd_evaluate(ctx, in_memory, &all, &a), what);
  works(ctx, crd_evaluate(ctx, in_file, &all, &b), what);
  assert_int_equal(a->value_count, b->value_count);
  assert_int_equal(a->weighted, b->weighted);
  for (size_t i = 0; i < a->value_count; i++)
    if (!same_bits(a->values[i].value, b->values[i].value))
      fail_msg("%s: %s is %.17g in memory and %.17g in the file", what, a->values[i].metric->name,
               a->values[i].value, b->values[i].value);
  crd_result_destroy(a);
  crd_result_destroy(b);
}

static void check_names(const char *what, const fixture *f, const crd_predictions *p) {
  for (size_t k = 0; k < f->parts.class_name_count; k++) {
    const char *const name = crd_predictions_class_name(p, k);
    if (!name || strcmp(name, f->parts.class_names[k]) != 0)
      fail_msg("%s: class %zu is called %s", what, k, name ? name : "nothing");
  }
}

static void check_columns(const char *path, const fixture *f, const crd_predictions *p) {
  assert_int_equal(p->parts.weights.data != NULL, f->parts.weights.data != NULL);
  assert_int_equal(p->parts.group_column_count, f->parts.groups.data != NULL);
  for (size_t i = 0; f->parts.groups.data && i < ROWS; i++)
    assert_true(crd__data_array_number(&p->parts.group_columns[0].ids, i, 0) == f->groups[i]);
  if (!f->parts.groups.data || !strstr(path, ".csv")) return;
  assert_int_equal(p->parts.group_columns[0].name_count, 3);
  assert_string_equal(p->parts.group_columns[0].names[1], site_names[1]);
}

static void check_file(crd_context *ctx, const crd_calibrator *c, const fixture *f,
                       const char *name) {
  char path[256], what[320];
  crd_predictions *p = NULL, *in_memory = NULL, *in_file = NULL;
  temporary_path(path, name);
  snprintf(what, sizeof what, "%s into %s", crd_calibrator_method(c)->name, name);
  works(ctx, crd_predictions_create(ctx, &f->parts, &p), what);
  works(ctx, crd_calibrator_calibrate(ctx, c, p, &in_memory), what);
  works(ctx, crd_calibrator_apply_to(ctx, c, p, CRD_F64, path), what);
  works(ctx, crd_predictions_open(ctx, path, NULL, &in_file), what);
  compare(ctx, what, in_memory, in_file);
  check_columns(path, f, in_file);
  check_names(what, f, in_memory);
  check_names(what, f, in_file);
  assert_int_equal(in_file->parts.confidence.data != NULL, crd_calibrator_is_top(c));
  crd_predictions_destroy(p);
  crd_predictions_destroy(in_memory);
  crd_predictions_destroy(in_file);
  unlink(path);
}

static void each_format(crd_context *ctx, const char *method, const char *settings,
                        const fixture *f) {
  static const char *const names[] = { "a.npz", "a.csv", "a.tsv.gz", "a.safetensors" };
  crd_predictions *p = NULL;
  crd_calibrator *c = NULL;
  works(ctx, crd_predictions_create(ctx, &f->parts, &p), method);
  works(ctx, crd_calibrator_fit(ctx, method, settings, p, &c), method);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) check_file(ctx, c, f, names[i]);
  crd_calibrator_destroy(c);
  crd_predictions_destroy(p);
}

static bool has_scope(const crd_method_info *method) {
  return method->setting_count && strcmp(method->settings[0].name, "scope") == 0;
}

static void files_are_evaluated_as_memory_is(void **state) {
  for (kind k = LOGITS; k < KINDS; k++) {
    fixture *f = calloc(1, sizeof *f);
    set_up(k, f);
    for (size_t m = 0; m < crd_method_count(); m++) {
      const crd_method_info *const method = crd_method_at(m);
      each_format(*state, method->name, NULL, f);
      if (!has_scope(method)) continue;
      each_format(*state, method->name, "scope=one-vs-rest", f);
      each_format(*state, method->name, "scope=top-1", f);
    }
    free_data(&f->data);
    free(f);
  }
}

/* ---- Predictions without labels. */

static crd_predictions *unlabelled(crd_context *ctx, const fixture *f) {
  crd_predictions_parts parts = f->parts;
  crd_predictions *p = NULL;
  parts.labels.data = parts.correct.data = NULL;
  assert_int_equal(crd_predictions_create(ctx, &parts, &p), CRD_EINPUT);
  parts.labels_optional = 1;
  works(ctx, crd_predictions_create(ctx, &parts, &p), "without labels");
  return p;
}

static void refuses(crd_context *ctx, crd_status status) {
  assert_int_equal(status, CRD_EINPUT);
  if (!strstr(crd_context_message(ctx), "no labels") &&
      !strstr(crd_context_message(ctx), "confidences need"))
    fail_msg("%s", crd_context_message(ctx));
}

/* Functions that need labels fail and name them; applying needs none, and gives the same rows. */
static void check_unlabelled(crd_context *ctx, kind k) {
  fixture *f = calloc(1, sizeof *f);
  set_up(k, f);
  char path[256];
  const size_t cells = ROWS * CLASSES;
  double *with = calloc(cells, sizeof *with), *without = calloc(cells, sizeof *without);
  crd_predictions *p = NULL, *bare = unlabelled(ctx, f), *back = NULL;
  crd_calibrator *c = NULL, *none = NULL;
  const crd_result *result = NULL;
  const crd_diagnosis *diagnosis = NULL;
  unsigned fold[ROWS];
  works(ctx, crd_predictions_create(ctx, &f->parts, &p), "labels");
  works(ctx, crd_calibrator_fit(ctx, "platt", NULL, p, &c), "platt");
  works(ctx, crd_calibrator_apply(ctx, c, p, 0, ROWS, with, NULL, NULL), "apply");
  works(ctx, crd_calibrator_apply(ctx, c, bare, 0, ROWS, without, NULL, NULL), "apply");
  assert_memory_equal(with, without, cells * sizeof *with);
  refuses(ctx, crd_evaluate(ctx, bare, NULL, &result));
  refuses(ctx, crd_diagnose(ctx, bare, &diagnosis));
  refuses(ctx, crd_calibrator_fit(ctx, "temperature", NULL, bare, &none));
  refuses(ctx, crd_calibrator_calibrate(ctx, c, bare, &back));
  if (k != PAIRS) refuses(ctx, crd_predictions_split(ctx, bare, CRD_SPLIT_CLASSES, 2, fold));
  works(ctx, crd_predictions_split(ctx, bare, CRD_SPLIT_ROWS, 2, fold), "split");
  temporary_path(path, "bare.npz");
  works(ctx, crd_calibrator_apply_to(ctx, c, bare, CRD_F64, path), "apply");
  refuses(ctx, crd_predictions_open(ctx, path, NULL, &back));
  works(ctx,
        crd_predictions_open(
            ctx, path,
            &(crd_open_options){ .size = sizeof(crd_open_options), .labels_optional = 1 }, &back),
        "open");
  assert_true(crd__data_array_number(&back->parts.scores, ROWS - 1, 0) ==
              with[(ROWS - 1) * crd__data_cols(&back->parts.scores)]);
  unlink(path);
  crd_predictions_destroy(p);
  crd_predictions_destroy(bare);
  crd_predictions_destroy(back);
  crd_calibrator_destroy(c);
  free(with);
  free(without);
  free_data(&f->data);
  free(f);
}

static void labels_may_be_missing(void **state) {
  for (kind k = LOGITS; k < KINDS; k++) check_unlabelled(*state, k);
}

/* ---- A single array, and float32. */

static void one_array_in_f32(void **state) {
  fixture *f = calloc(1, sizeof *f);
  char path[256];
  double expected[ROWS * CLASSES];
  crd_predictions *p = NULL, *back = NULL;
  crd_calibrator *c = NULL;
  set_up(LOGITS, f);
  works(*state, crd_predictions_create(*state, &f->parts, &p), "create");
  works(*state, crd_calibrator_fit(*state, "temperature", NULL, p, &c), "fit");
  works(*state, crd_calibrator_apply(*state, c, p, 0, ROWS, expected, NULL, NULL), "apply");
  temporary_path(path, "one.npy");
  assert_int_equal(crd_calibrator_apply_to(*state, c, p, CRD_F16, path), CRD_EUSAGE);
  works(*state, crd_calibrator_apply_to(*state, c, p, CRD_F32, path), "apply");
  works(*state,
        crd_predictions_open(
            *state, path,
            &(crd_open_options){ .size = sizeof(crd_open_options), .labels_optional = 1 }, &back),
        "open");
  assert_int_equal(back->parts.scores.dtype, CRD_F32);
  for (size_t i = 0; i < ROWS * CLASSES; i++)
    assert_true(crd__data_array_number(&back->parts.scores, i / CLASSES, i % CLASSES) ==
                (float)expected[i]);
  unlink(path);
  crd_predictions_destroy(p);
  crd_predictions_destroy(back);
  crd_calibrator_destroy(c);
  free_data(&f->data);
  free(f);
}

/* ---- Many blocks. */

enum { MANY = 140000 };

static void check_many(crd_context *ctx, const crd_calibrator *c, const crd_predictions *p,
                       const char *name) {
  char path[256];
  crd_predictions *back = NULL;
  double *const expected = calloc(2 * MANY, sizeof *expected), *const top =
                                                                   calloc(MANY, sizeof *top);
  size_t *const predicted = calloc(MANY, sizeof *predicted);
  works(ctx, crd_calibrator_apply(ctx, c, p, 0, MANY, expected, top, predicted), "apply");
  works(ctx, crd_calibrator_apply_to(ctx, c, p, CRD_F64, temporary_path(path, name)), "apply");
  works(ctx, crd_predictions_open(ctx, path, NULL, &back), "open");
  for (size_t i = 0; i < MANY; i++) {
    assert_true(crd__data_array_number(&back->parts.scores, i, 0) == expected[2 * i]);
    assert_true(crd__data_array_number(&back->parts.scores, i, 1) == expected[2 * i + 1]);
    assert_true(crd__data_array_number(&back->parts.confidence, i, 0) == top[i]);
    assert_true(crd__data_array_number(&back->parts.predicted, i, 0) == (double)predicted[i]);
  }
  unlink(path);
  crd_predictions_destroy(back);
  free(expected);
  free(top);
  free(predicted);
}

static void blocks_join(void **state) {
  test_data data = make_data((test_recipe){ MANY, 2, 3, 2, .7, 0, false, false });
  crd_predictions *const p = data_predictions(*state, &data, 0, MANY);
  crd_calibrator *c = NULL;
  works(*state, crd_calibrator_fit(*state, "platt", "scope=top-1", p, &c), "fit");
  check_many(*state, c, p, "many.npz");
  check_many(*state, c, p, "many.csv");
  crd_calibrator_destroy(c);
  crd_predictions_destroy(p);
  free_data(&data);
}

/* ---- Confidences of predicted labels, stored beside probabilities, are used only with them. */

static double ece_of(crd_context *ctx, const char *path, const crd_open_options *how) {
  crd_predictions *p = NULL;
  const crd_result *result = NULL;
  works(ctx, crd_predictions_open(ctx, path, how, &p), path);
  works(ctx,
        crd_evaluate(ctx, p,
                     &(crd_evaluate_options){ .size = sizeof(crd_evaluate_options),
                                              .metrics = "ece,accuracy,nll" },
                     &result),
        path);
  const double ece = value_of(result, "ece");
  crd_result_destroy(result);
  crd_predictions_destroy(p);
  return ece;
}

/* Groups are integers: a fraction is an error. */
static void halves_of_groups_are_refused(void **state) {
  static const double groups[] = { 0, 1, 1.5 };
  static const double scores[] = { 1, 2, 3, 1, 2, 2.5 };
  static const int64_t labels[] = { 0, 0, 1 };
  const crd_predictions_parts parts = { .size = sizeof parts,
                                        .scores = crd_array_matrix(scores, CRD_F64, 3, 2),
                                        .labels = crd_array_matrix(labels, CRD_I64, 3, 1),
                                        .groups = crd_array_matrix(groups, CRD_F64, 3, 1),
                                        .input = CRD_INPUT_LOGITS };
  char path[256];
  crd_predictions *p = NULL;
  crd_calibrator *c = NULL;
  assert_int_equal(crd_predictions_create(*state, &parts, &p), CRD_OK);
  assert_int_equal(crd_calibrator_fit(*state, "identity", NULL, p, &c), CRD_OK);
  temporary_path(path, "halves.npz");
  assert_int_equal(crd_calibrator_apply_to(*state, c, p, CRD_F64, path), CRD_EINPUT);
  assert_non_null(strstr(crd_context_message(*state), "row 2 is not an integer"));
  assert_int_not_equal(access(path, F_OK), 0);
  crd_calibrator_destroy(c);
  crd_predictions_destroy(p);
}

static void own_confidences_count(void **state) {
  char path[256];
  const crd_open_options logits = { .size = sizeof logits, .input = CRD_INPUT_LOGITS };
  FILE *const file = fopen(temporary_path(path, "own.csv"), "w");
  fputs("label,p0,p1,pred_label,confidence\n0,0.25,0.75,0,0.5\n1,0.25,0.75,0,0.5\n", file);
  fclose(file);
  assert_true(near(ece_of(*state, path, NULL), 0, 1e-15)); /* half of them correct, at 0.5 */
  const double p1 = 0.62245933120185459;                   /* softmax of the logits 0.25 and 0.75 */
  assert_true(near(ece_of(*state, path, &logits), p1 - 0.5, 1e-12));
  unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(files_are_evaluated_as_memory_is),
    cmocka_unit_test(labels_may_be_missing),
    cmocka_unit_test(one_array_in_f32),
    cmocka_unit_test(own_confidences_count),
    cmocka_unit_test(halves_of_groups_are_refused),
    cmocka_unit_test(blocks_join),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

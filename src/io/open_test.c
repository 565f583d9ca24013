/* open_test.c -- opens predictions by name: keys, groups, rows, labels. */
#include "io/testing.h"

#include "data/array.h"
#include "data/predictions.h"
#include "io/write.h"

enum { ROWS = 5 };
static const double logits[ROWS][3] = {
  { 3, -1, 0 }, { -2, 4, 1 }, { 5, 0, -3 }, { 1, 2, 9 }, { 0, 7, -1 }
};
static const int32_t labels[ROWS] = { 0, 1, 0, 2, 1 };
static const double halves[ROWS] = { 0.5, 0.6, 0.7, 0.8, 0.9 };

static crd_array matrix(void) { return crd_array_matrix(logits, CRD_F64, ROWS, 3); }
static crd_array column(void) { return crd_array_matrix(labels, CRD_I32, ROWS, 1); }
static crd_array reals(void) { return crd_array_matrix(halves, CRD_F64, ROWS, 1); }

/* Writes a file with up to four arrays, terminated by a NULL name. */
static const char *put_arrays(crd_context *ctx, const char *name, const crd__io_array *arrays) {
  const char *path = scratch_path(name);
  size_t count = 0;
  while (arrays[count].name) count++;
  WORKS(ctx, crd__io_bundle_write(ctx, path, arrays, count));
  return path;
}

static crd_predictions *open_with(crd_context *ctx, const char *path, const char *tail,
                                  const crd_open_options *options) {
  char text[512];
  crd_predictions *p;
  snprintf(text, sizeof text, "%s%s", path, tail);
  WORKS(ctx, crd_predictions_open(ctx, text, options, &p));
  assert_string_equal(crd_predictions_name(p), text);
  return p;
}

static void refuse(crd_context *ctx, const char *path, const char *tail,
                   const crd_open_options *options, crd_status status, const char *words) {
  char text[512];
  crd_predictions *p;
  snprintf(text, sizeof text, "%s%s", path, tail);
  FAILS(ctx, status, crd_predictions_open(ctx, text, options, &p), words);
  assert_null(p);
}

static void check_rows(const crd_predictions *p, size_t from, size_t to) {
  assert_int_equal(crd_predictions_rows(p), to - from);
  assert_int_equal(p->parts.first_row, from);
  for (size_t i = from; i < to; i++) {
    assert_true(crd__data_array_number(&p->parts.scores, i - from, 1) == logits[i][1]);
    assert_true(crd__data_array_number(&p->parts.labels, i - from, 0) == labels[i]);
  }
}

static void test_keys(void **state) {
  static const struct {
    const char *scores, *labels, *tail;
    crd_input input;
  } cases[] = {
    { "logits", "labels", "", CRD_INPUT_LOGITS },
    { "log_probs", "y", "", CRD_INPUT_LOGITS },
    { "val_logits", "val_targets", "#val", CRD_INPUT_LOGITS },
    { "train/logprobs", "train/y", "#train", CRD_INPUT_LOGITS },
    { "a.b.scores", "a.b.ground_truth", "#a.b", CRD_INPUT_LOGITS },
    { "outputs", "true_label", "", CRD_INPUT_LOGITS },
    { "predictions", "target", "", CRD_INPUT_LOGITS },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const crd__io_array arrays[] = { { .name = cases[i].labels, .view = column() },
                                     { .name = cases[i].scores, .view = matrix() },
                                     { .name = NULL } };
    const char *path = put_arrays(*state, "k.npz", arrays);
    crd_predictions *p = open_with(*state, path, cases[i].tail, NULL);
    check_rows(p, 0, ROWS);
    assert_int_equal(crd_predictions_input(p), cases[i].input);
    crd_predictions_destroy(p);
    unlink(path);
  }
}

static void test_preference(void **state) {
  const crd__io_array arrays[] = {
    { .name = "probs", .view = matrix() },   { .name = "labels", .view = column() },
    { .name = "weight", .view = reals() },   { .name = "groups", .view = column() },
    { .name = "logits", .view = matrix() },  { .name = "confidence", .view = reals() },
    { .name = "correct", .view = column() }, { .name = NULL }
  };
  const char *path = put_arrays(*state, "p.npz", arrays);
  crd_predictions *p = open_with(*state, path, "@1:4", NULL);
  bool noted = false;
  for (size_t i = 0; crd_predictions_note(p, i); i++)
    noted = noted || strstr(crd_predictions_note(p, i),
                            "the scores are logits; probs exists too and was not used");
  assert_true(noted);
  assert_string_equal(p->parts.scores_name, "logits");
  assert_true(crd_predictions_has_weights(p));
  assert_true(crd__data_array_number(&p->parts.weights, 0, 0) == 0.6);
  assert_int_equal(crd__data_rows_of(&p->parts.group_columns[0].ids), 3);
  check_rows(p, 1, 4);
  crd_predictions_destroy(p);
  p = open_with(*state, path, "",
                &(crd_open_options){ .size = sizeof(crd_open_options), .input = CRD_INPUT_PAIRS });
  assert_string_equal(p->parts.scores_name, "confidence");
  assert_int_equal(crd_predictions_input(p), CRD_INPUT_PAIRS);
  assert_non_null(p->parts.correct.data);
  crd_predictions_destroy(p);
  unlink(path);
}

/* Features are read only on request, and sliced like the scores. */
static void test_features(void **state) {
  static const char *const names[] = { "f.npz", "f.safetensors" };
  static const crd_open_options with = { .size = sizeof with, .features = 1 };
  for (size_t i = 0; i < 2; i++) {
    const crd__io_array arrays[] = { { .name = "val_logits", .view = matrix() },
                                     { .name = "val_labels", .view = column() },
                                     { .name = "val_features", .view = matrix() },
                                     { .name = NULL } };
    const char *path = put_arrays(*state, names[i], arrays);
    crd_predictions *p = open_with(*state, path, "#val@1:4", NULL);
    assert_int_equal(crd_predictions_features(p), 0);
    crd_predictions_destroy(p);
    p = open_with(*state, path, "#val@1:4", &with);
    assert_int_equal(crd_predictions_features(p), 3);
    assert_int_equal(crd__data_rows_of(&p->parts.features), 3);
    for (size_t k = 0; k < 9; k++)
      assert_true(crd__data_array_number(&p->parts.features, k / 3, k % 3) ==
                  crd__data_array_number(&p->parts.scores, k / 3, k % 3));
    crd_predictions_destroy(p);
    unlink(path);
  }
}

static void test_rows(void **state) {
  const crd__io_array arrays[] = { { .name = "logits", .view = matrix() },
                                   { .name = "labels", .view = column() },
                                   { .name = NULL } };
  const char *path = put_arrays(*state, "r.npz", arrays);
  static const struct {
    const char *tail;
    size_t from, to;
  } good[] = { { "@0:5", 0, 5 }, { "@2:4", 2, 4 }, { "@3:", 3, 5 }, { "@:1", 0, 1 } };
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    crd_predictions *p = open_with(*state, path, good[i].tail, NULL);
    check_rows(p, good[i].from, good[i].to);
    crd_predictions_destroy(p);
  }
  refuse(*state, path, "@0:6", NULL, CRD_EINPUT, "rows 0:6 do not exist, the file has rows 0:5");
  refuse(*state, path, "@3:3", NULL, CRD_EINPUT, "rows 3:3 do not exist");
  refuse(*state, path, "@4:2", NULL, CRD_EINPUT, "rows 4:2 do not exist");
  refuse(*state, path, "@9:", NULL, CRD_EINPUT, "rows 9:5 do not exist");
  refuse(*state, path, "@2", NULL, CRD_EUSAGE, "expected rows from:to");
  unlink(path);
}

static void test_absent(void **state) {
  const crd__io_array odd[] = { { .name = "arr_0", .view = matrix() },
                                { .name = "arr_1", .view = matrix() },
                                { .name = "arr_2", .view = column() },
                                { .name = NULL } };
  const char *path = put_arrays(*state, "o.npz", odd);
  refuse(*state, path, "", NULL, CRD_EINPUT,
         "no scores: found arr_0 (5 x 3 f64), arr_1 (5 x 3 f64), arr_2 (5 i32); choose with "
         "scores and label_key; recognised names are logits,");
  refuse(*state, path, "#val", NULL, CRD_EINPUT, "no scores of group 'val': found arr_0");
  const crd__io_array grouped[] = { { .name = "val_logits", .view = matrix() },
                                    { .name = "val_labels", .view = column() },
                                    { .name = "test_logits", .view = matrix() },
                                    { .name = NULL } };
  path = put_arrays(*state, "o.npz", grouped);
  refuse(*state, path, "", NULL, CRD_EINPUT, "o.npz#val");
  const crd__io_array bare[] = { { .name = "logits", .view = matrix() }, { .name = NULL } };
  path = put_arrays(*state, "o.npz", bare);
  refuse(*state, path, "", NULL, CRD_EINPUT,
         "no labels: found logits (5 x 3 f64); choose with label_key, or name a file of "
         "labels with labels; recognised names are labels, label,");
  unlink(path);
  refuse(*state, "/nonexistent/a.npz", "", NULL, CRD_EINPUT, "/nonexistent/a.npz: ");
}

static void test_mismatch(void **state) {
  crd_array fewer = column();
  fewer.dims[0] = 4;
  const crd__io_array arrays[] = { { .name = "logits", .view = matrix() },
                                   { .name = "labels", .view = fewer },
                                   { .name = NULL } };
  const char *path = put_arrays(*state, "m.npz", arrays);
  refuse(*state, path, "", NULL, CRD_EINPUT, "m.npz: 4 labels for 5 rows");
  refuse(*state, path, "@0:4", NULL, CRD_EINPUT, "4 labels for 5 rows");
  unlink(path);
}

/* Labels from a separate file: for all rows, for the slice, or with their own group or slice.
 */
static void test_label_files(void **state) {
  const crd__io_array scores[] = { { .name = "x", .view = matrix() }, { .name = NULL } };
  const crd__io_array plain[] = { { .name = "x", .view = column() }, { .name = NULL } };
  const crd__io_array keyed[] = { { .name = "test_y", .view = column() },
                                  { .name = "other", .view = reals() },
                                  { .name = NULL } };
  crd_array part = crd_array_slice(column(), 1, 4);
  const crd__io_array cut[] = { { .name = "x", .view = part }, { .name = NULL } };
  const char *path = put_arrays(*state, "s.npy", scores);
  struct {
    const char *name, *tail, *label_tail;
    const crd__io_array *arrays;
  } cases[] = {
    { "l.npy", "@1:4", "", plain }, { "l.npy", "@1:4", "@1:4", plain },
    { "l.npy", "@1:4", "", cut },   { "l.npz", "@1:4", "#test", keyed },
    { "l.csv", "@1:4", "", plain }, { "l.csv.gz", "@1:4", "@1:4", plain },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    if (lean_refuses(cases[i].name)) continue;
    char from[512];
    const char *file = put_arrays(*state, cases[i].name, cases[i].arrays);
    snprintf(from, sizeof from, "%s%s", file, cases[i].label_tail);
    crd_predictions *p =
        open_with(*state, path, cases[i].tail,
                  &(crd_open_options){ .size = sizeof(crd_open_options), .labels = from });
    check_rows(p, 1, 4);
    assert_string_equal(p->parts.labels_name, from);
    crd_predictions_destroy(p);
    unlink(file);
  }
  refuse(*state, path, "", NULL, CRD_EINPUT, "s.npy: no labels: found scores");
  const char *file = put_arrays(*state, "l.npz", keyed);
  refuse(*state, path, "", &(crd_open_options){ .size = sizeof(crd_open_options), .labels = file },
         CRD_EINPUT, "l.npz: no labels: found test_y (5 i32), other (5 f64)");
  file = put_arrays(*state, "l.npz", cut);
  refuse(*state, path, "", &(crd_open_options){ .size = sizeof(crd_open_options), .labels = file },
         CRD_EINPUT, "3 labels for 5 rows");
  refuse(*state, path, "@0:2",
         &(crd_open_options){ .size = sizeof(crd_open_options), .labels = file }, CRD_EINPUT,
         "3 labels for 2 rows");
  unlink(file);
  unlink(path);
}

static void test_tables(void **state) {
  const char *path = put_text("t.csv", "label,a,b\n0,0.9,0.1\n1,0.2,0.8\n");
  crd_predictions *p = open_with(*state, path, "@1:2", NULL);
  assert_int_equal(crd_predictions_rows(p), 1);
  assert_int_equal(crd_predictions_classes(p), 2);
  assert_int_equal(crd_predictions_input(p), CRD_INPUT_PROBABILITIES);
  crd_predictions_destroy(p);
  p = open_with(*state, path, "",
                &(crd_open_options){
                    .size = sizeof(crd_open_options), .labels = "unused.npy", .columns = "b,a" });
  assert_true(crd__data_array_number(&p->parts.scores, 0, 0) == 0.1);
  assert_non_null(crd_predictions_note(p, 0));
  crd_predictions_destroy(p);
  path = put_text("t.csv", "confidence,label,pred_label\n0.9,1,1\n0.4,0,2\n");
  p = open_with(*state, path, "", NULL);
  assert_int_equal(crd_predictions_input(p), CRD_INPUT_PAIRS);
  assert_int_equal(crd_predictions_classes(p), 0);
  crd_predictions_destroy(p);
  path = put_text("t.csv", "confidence,a\n0.9,1\n0.4,0\n");
  refuse(*state, path, "", NULL, CRD_EINPUT, "no labels: found scores");
  path = put_text("t.csv", "confidence,label\n0.9,1\n0.4,0\n");
  refuse(*state, path, "", NULL, CRD_EINPUT, "confidences need `correct`");
  unlink(path);
}

static void test_ranks(void **state) {
  unsigned char file[512];
  float data[30] = { 0 };
  const size_t length = put_npy(
      file, 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 5, 2)}", data, sizeof data);
  const char *path = put_file("c.npy", file, length);
  refuse(*state, path, "", NULL, CRD_EINPUT,
         "c.npy: scores has 3 dimensions (3, 5, 2), allowed are (rows, classes) or (rows,)");
  unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(test_keys),   TEST(test_preference), TEST(test_rows),
    TEST(test_absent), TEST(test_mismatch),   TEST(test_label_files),
    TEST(test_tables), TEST(test_ranks),      TEST(test_features),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

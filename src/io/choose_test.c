/* choose_test.c -- files whose arrays have other common names, or unknown ones. */
#include "io/testing.h"

#include "data/array.h"
#include "data/predictions.h"
#include "io/write.h"

enum { ROWS = 5, CLASSES = 3 };
static const double scores[ROWS][CLASSES] = {
  { 3, -1, 0 }, { -2, 4, 1 }, { 5, 0, -3 }, { 1, 2, 9 }, { 0, 7, -1 }
};
static const float hot[ROWS][CLASSES] = {
  { 1, 0, 0 }, { 0, 1, 0 }, { 1, 0, 0 }, { 0, 0, 1 }, { 0, 1, 0 }
};
static const int64_t many_hot[ROWS][CLASSES] = {
  { 1, 0, 1 }, { 0, 1, 0 }, { 1, 1, 0 }, { 0, 0, 0 }, { 0, 1, 0 }
};
static const int32_t labels[ROWS] = { 0, 1, 0, 2, 1 };
static const double wholes[ROWS] = { 0, 1, 0, 2, 1 };
static const double halves[ROWS] = { 0.5, 0.6, 0.7, 0.8, 0.9 };
static const uint8_t bits[ROWS] = { 0, 1, 0, 1, 1 };
static const int64_t counted[ROWS] = { 0, 1, 2, 3, 4 };

#define MATRIX crd_array_matrix(scores, CRD_F64, ROWS, CLASSES)
#define HOT crd_array_matrix(hot, CRD_F32, ROWS, CLASSES)
#define MANY crd_array_matrix(many_hot, CRD_I64, ROWS, CLASSES)
#define LABELS crd_array_matrix(labels, CRD_I32, ROWS, 1)
#define WHOLES crd_array_matrix(wholes, CRD_F64, ROWS, 1)
#define HALVES crd_array_matrix(halves, CRD_F64, ROWS, 1)
#define BITS crd_array_matrix(bits, CRD_U8, ROWS, 1)
#define INDEX crd_array_matrix(counted, CRD_I64, ROWS, 1)

typedef struct {
  crd__io_array arrays[4]; /* terminated by a NULL name */
  crd_open_options options;
  const char *tail; /* appended to the file's name; NULL: nothing */
  const char *says; /* the scores and labels taken, as describe() writes them; or part of the error
                       message */
  const char *note; /* part of an expected note; NULL: no note about shapes */
} file;

static const char *put(crd_context *ctx, const file *f, char path[512]) {
  const char *name = scratch_path("c.npz");
  size_t count = 0;
  while (count < 4 && f->arrays[count].name) count++;
  WORKS(ctx, crd__io_bundle_write(ctx, name, f->arrays, count));
  snprintf(path, 512, "%s%s", name, f->tail ? f->tail : "");
  return name;
}

static const char *note_with(const crd_predictions *p, const char *words) {
  for (size_t i = 0; crd_predictions_note(p, i); i++)
    if (strstr(crd_predictions_note(p, i), words)) return crd_predictions_note(p, i);
  return NULL;
}

/* Options of a file, which leave out their size. */
static crd_open_options options_of(const file *f) {
  crd_open_options options = f->options;
  options.size = sizeof options;
  return options;
}

/* Writes the arrays that were taken: "scores 5x3 logits labels 0 1 0 2 1". */
static void describe(const crd_predictions *p, char *out, size_t size) {
  const crd_predictions_parts *const parts = &p->parts;
  size_t used = (size_t)snprintf(out, size, "%s %zux%zu %g", parts->scores_name,
                                 crd__data_rows_of(&parts->scores), crd__data_cols(&parts->scores),
                                 crd__data_array_number(&parts->scores, 1, 0));
  if (parts->predicted.data)
    used += (size_t)snprintf(out + used, size - used, " predicted %g",
                             crd__data_array_number(&parts->predicted, 3, 0));
  for (size_t i = 0; parts->labels.data && i < 5; i++)
    used += (size_t)snprintf(out + used, size - used, " %g",
                             crd__data_array_number(&parts->labels, i, 0));
}

static void check(crd_context *ctx, const file *f) {
  char path[512], found[256];
  crd_predictions *p;
  const char *const name = put(ctx, f, path);
  const crd_open_options options = options_of(f);
  WORKS(ctx, crd_predictions_open(ctx, path, &options, &p));
  describe(p, found, sizeof found);
  assert_string_equal(found, f->says);
  if (f->note && !note_with(p, f->note)) fail_msg("no note '%s'", f->note);
  if (!f->note) assert_null(note_with(p, "by shape"));
  crd_predictions_destroy(p);
  unlink(name);
}

static void test_names(void **state) {
  static const char *const labels_names[] = { "y_true", "gt",        "ground_truth", "targets",
                                              "targs",  "label_ids", "true_labels" };
  const file files[] = {
    { { { .name = "y_true", .view = LABELS }, { .name = "y_score", .view = MATRIX } },
      .says = "y_score 5x3 -2 0 1 0 2 1" },
    { { { .name = "y_true", .view = BITS }, { .name = "y_prob", .view = HALVES } },
      .says = "y_prob 5x1 0.6 0 1 0 1 1" },
    { { { .name = "y_pred", .view = MATRIX }, { .name = "y_true", .view = LABELS } },
      .says = "y_pred 5x3 -2 0 1 0 2 1" },
    { { { .name = "preds", .view = MATRIX }, { .name = "gt", .view = LABELS } },
      .says = "preds 5x3 -2 0 1 0 2 1" },
    { { { .name = "y_pred", .view = INDEX },
        { .name = "y_score", .view = MATRIX },
        { .name = "y", .view = LABELS } },
      .says = "y_score 5x3 -2 0 1 0 2 1" },
    { { { .name = "predictions", .view = INDEX },
        { .name = "scores", .view = MATRIX },
        { .name = "y", .view = LABELS } },
      .says = "scores 5x3 -2 0 1 0 2 1" },
    { { { .name = "preds", .view = WHOLES },
        { .name = "softmax", .view = HOT },
        { .name = "y", .view = LABELS } },
      .says = "softmax 5x3 0 0 1 0 2 1" },
    { { { .name = "preds", .view = INDEX },
        { .name = "confidence", .view = HALVES },
        { .name = "y", .view = LABELS } },
      .says = "confidence 5x1 0.6 predicted 3 0 1 0 2 1" },
    { { { .name = "prob", .view = HALVES },
        { .name = "confidence", .view = HALVES },
        { .name = "correct", .view = BITS } },
      .says = "confidence 5x1 0.6" },
    { { { .name = "y_pred", .view = MATRIX },
        { .name = "confidence", .view = HALVES },
        { .name = "y_true", .view = LABELS } },
      .says = "y_pred 5x3 -2 0 1 0 2 1" },
    { { { .name = "predictions", .view = BITS }, { .name = "labels", .view = BITS } },
      .says = "predictions 5x1 1 0 1 0 1 1" },
    { { { .name = "Logits", .view = MATRIX }, { .name = "Labels", .view = LABELS } },
      .says = "logits 5x3 -2 0 1 0 2 1" },
    { { { .name = "val_y_prob", .view = HOT }, { .name = "val_y_true", .view = LABELS } },
      .tail = "#val",
      .says = "y_prob 5x3 0 0 1 0 2 1" },
  };
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) check(*state, &files[i]);
  for (size_t i = 0; i < sizeof labels_names / sizeof *labels_names; i++) {
    const file f = { { { .name = labels_names[i], .view = LABELS },
                       { .name = "outputs", .view = MATRIX } },
                     .says = "outputs 5x3 -2 0 1 0 2 1" };
    check(*state, &f);
  }
}

static void test_shapes(void **state) {
  const file files[] = {
    { { { .name = "arr_0", .view = MATRIX }, { .name = "arr_1", .view = LABELS } },
      .says = "arr_0 5x3 -2 0 1 0 2 1",
      .note = "the scores are arr_0 and the labels arr_1" },
    { { { .name = "arr_0", .view = LABELS }, { .name = "arr_1", .view = MATRIX } },
      .says = "arr_1 5x3 -2 0 1 0 2 1",
      .note = "the scores are arr_1 and the labels arr_0" },
    { { { .name = "a", .view = MATRIX }, { .name = "b", .view = WHOLES } },
      .says = "a 5x3 -2 0 1 0 2 1",
      .note = "the labels b" },
    { { { .name = "a", .view = MATRIX }, { .name = "b", .view = HOT } },
      .says = "a 5x3 -2 1 0 1 0 0",
      .note = "the scores are a and the labels b" },
    { { { .name = "a", .view = MATRIX },
        { .name = "b", .view = LABELS },
        { .name = "n", .view = INDEX } },
      .says = "a 5x3 -2 0 1 0 2 1",
      .note = "the labels b" },
    { { { .name = "logits", .view = MATRIX },
        { .name = "n", .view = INDEX },
        { .name = "cls", .view = LABELS } },
      .says = "logits 5x3 -2 0 1 0 2 1",
      .note = "the labels are cls" },
    { { { .name = "out", .view = MATRIX },
        { .name = "labels", .view = LABELS },
        { .name = "age", .view = HALVES } },
      .says = "out 5x3 -2 0 1 0 2 1",
      .note = "the scores are out" },
    { { { .name = "risk", .view = HALVES }, { .name = "y_true", .view = BITS } },
      .says = "risk 5x1 0.6 0 1 0 1 1",
      .note = "the scores are risk" },
    { { { .name = "a", .view = MATRIX },
        { .name = "pred_class", .view = LABELS },
        { .name = "b", .view = LABELS } },
      .says = "a 5x3 -2 0 1 0 2 1",
      .note = "the labels b" },
    { { { .name = "val_a", .view = MATRIX },
        { .name = "val_b", .view = LABELS },
        { .name = "c", .view = MATRIX } },
      .tail = "#val",
      .says = "val_a 5x3 -2 0 1 0 2 1",
      .note = "the scores are val_a" },
    { { { .name = "a", .view = MATRIX }, { .name = "n", .view = INDEX } },
      .options = { .labels_optional = 1 },
      .says = "a 5x3 -2",
      .note = "the scores are a" },
  };
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) check(*state, &files[i]);
}

static void test_options(void **state) {
  const file files[] = {
    { { { .name = "a", .view = MATRIX },
        { .name = "b", .view = HOT },
        { .name = "c", .view = LABELS } },
      .options = { .scores = "b", .label_key = "c" },
      .says = "b 5x3 0 0 1 0 2 1" },
    { { { .name = "logits", .view = MATRIX },
        { .name = "probs", .view = HOT },
        { .name = "y", .view = LABELS } },
      .options = { .scores = "probs" },
      .says = "probs 5x3 0 0 1 0 2 1" },
    { { { .name = "logits", .view = MATRIX },
        { .name = "labels", .view = LABELS },
        { .name = "fixed", .view = WHOLES } },
      .options = { .label_key = "fixed" },
      .says = "logits 5x3 -2 0 1 0 2 1" },
    { { { .name = "arr_0", .view = HALVES }, { .name = "arr_1", .view = BITS } },
      .options = { .scores = "arr_0", .label_key = "arr_1" },
      .says = "arr_0 5x1 0.6 0 1 0 1 1" },
    { { { .name = "val_a", .view = MATRIX }, { .name = "val_b", .view = LABELS } },
      .tail = "#val",
      .options = { .scores = "a", .label_key = "b" },
      .says = "val_a 5x3 -2 0 1 0 2 1" },
  };
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) check(*state, &files[i]);
}

static void test_refusals(void **state) {
  const file files[] = {
    { { { .name = "a", .view = MATRIX },
        { .name = "b", .view = MATRIX },
        { .name = "c", .view = LABELS } },
      .says = "no scores: found a (5 x 3 f64), b (5 x 3 f64), c (5 i32); choose with scores and "
              "label_key;" },
    { { { .name = "a", .view = MATRIX },
        { .name = "b", .view = MATRIX },
        { .name = "y", .view = LABELS } },
      .says = "choose with scores;" },
    { { { .name = "logits", .view = MATRIX },
        { .name = "b", .view = LABELS },
        { .name = "c", .view = LABELS } },
      .says = "no labels: found logits (5 x 3 f64), b (5 i32), c (5 i32); choose with label_key" },
    { { { .name = "logits", .view = MATRIX }, { .name = "Predicted", .view = LABELS } },
      .says = "no labels: found logits (5 x 3 f64), Predicted (5 i32)" },
    { { { .name = "arr_0", .view = HALVES }, { .name = "arr_1", .view = BITS } },
      .says = "no scores: found arr_0 (5 f64), arr_1 (5 u8)" },
    { { { .name = "y_pred", .view = LABELS }, { .name = "y_true", .view = LABELS } },
      .says = "y_pred holds predicted labels: calibration needs probabilities or logits" },
    { { { .name = "logits", .view = MATRIX }, { .name = "y", .view = LABELS } },
      .options = { .scores = "z" },
      .says = "no array 'z' for scores: found logits (5 x 3 f64), y (5 i32)" },
    { { { .name = "logits", .view = MATRIX }, { .name = "y", .view = LABELS } },
      .options = { .label_key = "z" },
      .says = "no array 'z' for label_key: found" },
    { { { .name = "logits", .view = MATRIX }, { .name = "targets", .view = MANY } },
      .says = "targets mark several classes or none in a row (multi-hot), expected exactly one: "
              "evaluate one class at a time: python3 -c \"import numpy as np; d = np.load('" },
    { { { .name = "logits", .view = MATRIX }, { .name = "targets", .view = MANY } },
      .says = "np.savez('class0.npz', logits=d['logits'][:, 0], labels=d['targets'][:, 0])\", "
              "then evaluate class0.npz with binary=pos" },
  };
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    char path[512];
    crd_predictions *p;
    const char *const name = put(*state, &files[i], path);
    const crd_open_options options = options_of(&files[i]);
    FAILS(*state, CRD_EINPUT, crd_predictions_open(*state, path, &options, &p), files[i].says);
    assert_null(p);
    unlink(name);
  }
}

/* Scores per pixel or token: the suggested command names the axis of the classes. */
static void test_dimensions(void **state) {
  static const float pixels[2 * 3 * 2 * 2] = { 0 };
  static const int8_t truth[2 * 2 * 2] = { 0 };
  static const struct {
    crd_array scores, labels;
    const char *scores_name, *words;
  } cases[] = {
    { { .data = pixels, .dtype = CRD_F32, .rank = 4, .dims = { 2, 3, 2, 2 } },
      { .data = truth, .dtype = CRD_I8, .rank = 3, .dims = { 2, 2, 2 } },
      "logits",
      "logits has 4 dimensions (2, 3, 2, 2), allowed are (rows, classes) or (rows,); make each "
      "pixel or token a row: python3 -c \"import numpy as np; d = np.load('" },
    { { .data = pixels, .dtype = CRD_F32, .rank = 4, .dims = { 2, 3, 2, 2 } },
      { .data = truth, .dtype = CRD_I8, .rank = 3, .dims = { 2, 2, 2 } },
      "maps",
      "np.savez('rows.npz', scores=np.moveaxis(d['maps'][:], 1, -1).reshape(-1, 3), "
      "labels=d['t'][:].reshape(-1))\"" },
    { { .data = pixels, .dtype = CRD_F32, .rank = 3, .dims = { 2, 4, 3 } },
      { .data = truth, .dtype = CRD_I8, .rank = 2, .dims = { 2, 4 } },
      "logits",
      "np.moveaxis(d['logits'][:], 2, -1).reshape(-1, 3)" },
    { { .data = pixels, .dtype = CRD_F32, .rank = 3, .dims = { 2, 3, 4 } },
      { .data = truth, .dtype = CRD_I8, .rank = 2, .dims = { 2, 4 } },
      "logits",
      "np.moveaxis(d['logits'][:], 1, -1).reshape(-1, 3)" },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *path = scratch_path("d.npz");
    crd_predictions *p;
    const crd_array view = crd_array_matrix(pixels, CRD_F32, 2, 12);
    const crd__io_array arrays[] = {
      { .name = cases[i].scores_name, .view = view, .shape = &cases[i].scores },
      { .name = "t", .view = crd_array_matrix(truth, CRD_I8, 2, 4), .shape = &cases[i].labels },
    };
    WORKS(*state, crd__io_bundle_write(*state, path, arrays, 2));
    FAILS(*state, CRD_EINPUT, crd_predictions_open(*state, path, NULL, &p), cases[i].words);
    unlink(path);
  }
}

/* A label file given by the caller takes precedence over names such as gt, but not over `labels`.
 */
static void test_label_file(void **state) {
  const char *const asked = put_text("l.csv", "label\n2\n2\n2\n2\n2\n");
  const file files[] = {
    { { { .name = "logits", .view = MATRIX }, { .name = "gt", .view = LABELS } },
      .options = { .labels = asked },
      .says = "logits 5x3 -2 2 2 2 2 2" },
    { { { .name = "logits", .view = MATRIX }, { .name = "Labels", .view = LABELS } },
      .options = { .labels = asked },
      .says = "logits 5x3 -2 2 2 2 2 2" },
    { { { .name = "logits", .view = MATRIX }, { .name = "target", .view = LABELS } },
      .options = { .labels = asked },
      .says = "logits 5x3 -2 0 1 0 2 1" },
    { { { .name = "logits", .view = MATRIX }, { .name = "gt", .view = LABELS } },
      .options = { .labels = asked, .label_key = "gt" },
      .says = "logits 5x3 -2 0 1 0 2 1" },
  };
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) check(*state, &files[i]);
  unlink(asked);
}

static crd_status open_npz(crd_context *ctx, const void *arg) {
  crd_predictions *p;
  const crd_status status = crd_predictions_open(ctx, arg, NULL, &p);
  crd_predictions_destroy(p);
  return status;
}

static void test_memory(void **state) {
  const file f = { { { .name = "arr_0", .view = MATRIX }, { .name = "arr_1", .view = LABELS } },
                   .says = "" };
  char path[512];
  const char *const name = put(*state, &f, path);
  fail_each_allocation(open_npz, path);
  unlink(name);
}

int main(void) {
  const struct CMUnitTest tests[] = { TEST(test_names),      TEST(test_shapes),
                                      TEST(test_options),    TEST(test_refusals),
                                      TEST(test_dimensions), TEST(test_label_file),
                                      TEST(test_memory) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * top_test.c -- files with `confidence` or `ranking`: which array is read, beside which others, in
 * arrays, tables and lines of JSON.
 */
#include "io/testing.h"

#include "data/array.h"
#include "data/predictions.h"
#include "io/write.h"

enum { ROWS = 4 };
static const double logits[ROWS][3] = { { 3, -1, 0 }, { -2, 4, 1 }, { 5, 0, -3 }, { 1, 2, 9 } };
static const double numbers[ROWS] = { 0.5, 0.6, 0.7, 0.8 };
static const int32_t labels[ROWS] = { 0, 1, 0, 2 }, predicted[ROWS] = { 0, 2, 0, 2 };

#define VECTOR(name, type) crd_array_matrix(name, type, ROWS, 1)
#define LOGITS                                                                                     \
  { .name = "logits", .view = crd_array_matrix(logits, CRD_F64, ROWS, 3) }
#define CONFIDENCE                                                                                 \
  { .name = "confidence", .view = VECTOR(numbers, CRD_F64) }
#define RANKING                                                                                    \
  { .name = "ranking", .view = VECTOR(numbers, CRD_F64) }
#define LABELS                                                                                     \
  { .name = "labels", .view = VECTOR(labels, CRD_I32) }
#define PREDICTED                                                                                  \
  { .name = "predicted", .view = VECTOR(predicted, CRD_I32) }

static bool is_noted(const crd_predictions *p, const char *words) {
  for (size_t i = 0; crd_predictions_note(p, i); i++)
    if (strstr(crd_predictions_note(p, i), words)) return true;
  return false;
}

static void arrays_take_precedence(void **state) {
  static const crd_open_options asked = { .size = sizeof asked, .scores = "logits" },
                                declared = { .size = sizeof declared, .input = CRD_INPUT_LOGITS };
  const struct {
    crd__io_array arrays[6];
    const crd_open_options *options;
    const char *scores, *note;
    crd_input input;
    bool beside; /* confidences beside scores of all classes */
  } cases[] = {
    { { RANKING, LABELS, PREDICTED }, NULL, "ranking", NULL, CRD_INPUT_RANKING, false },
    { { LOGITS, RANKING, LABELS, PREDICTED },
      NULL,
      "ranking",
      "the scores are ranking; logits exists too",
      CRD_INPUT_RANKING,
      false },
    { { CONFIDENCE, RANKING, LABELS, PREDICTED },
      NULL,
      "ranking",
      "confidence exists too",
      CRD_INPUT_RANKING,
      false },
    { { LOGITS, RANKING, LABELS }, NULL, "logits", "ranking exists too", CRD_INPUT_LOGITS, false },
    { { LOGITS, RANKING, LABELS, PREDICTED }, &asked, "logits", NULL, CRD_INPUT_LOGITS, false },
    { { LOGITS, RANKING, LABELS, PREDICTED },
      &declared,
      "logits",
      "ranking exists too",
      CRD_INPUT_LOGITS,
      false },
    { { CONFIDENCE, LABELS, PREDICTED }, NULL, "confidence", NULL, CRD_INPUT_PAIRS, false },
    { { LOGITS, CONFIDENCE, LABELS, PREDICTED },
      NULL,
      "logits",
      "the predicted classes are predicted and their confidences confidence",
      CRD_INPUT_LOGITS,
      true },
    { { LOGITS, CONFIDENCE, LABELS, PREDICTED }, &asked, "logits", NULL, CRD_INPUT_LOGITS, false },
    { { LOGITS, CONFIDENCE, LABELS },
      NULL,
      "logits",
      "confidence exists too",
      CRD_INPUT_LOGITS,
      false },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *const path = scratch_path("top.npz");
    crd_predictions *p;
    size_t count = 0;
    while (cases[i].arrays[count].name) count++;
    WORKS(*state, crd__io_bundle_write(*state, path, cases[i].arrays, count));
    WORKS(*state, crd_predictions_open(*state, path, cases[i].options, &p));
    assert_string_equal(p->parts.scores_name, cases[i].scores);
    assert_int_equal(p->parts.input, cases[i].input);
    assert_int_equal(p->classes, cases[i].input == CRD_INPUT_LOGITS ? 3 : 0);
    assert_int_equal(p->parts.confidence.data != NULL, cases[i].beside);
    if (cases[i].note) assert_true(is_noted(p, cases[i].note));
    else assert_null(crd_predictions_note(p, 0));
    crd_predictions_destroy(p);
    unlink(path);
  }
}

static void tables_too(void **state) {
  static const struct {
    const char *name, *text, *note;
    crd_input input;
  } cases[] = {
    { "t.csv", "ranking,predicted,label\n7.5,1,1\n-3,0,2\n", NULL, CRD_INPUT_RANKING },
    { "t.csv", "ranking,correct\n7.5,1\n-3,0\n", NULL, CRD_INPUT_RANKING },
    { "t.csv", "ranking,y_pred,y_true\n7.5,yes,no\n-3,no,no\n", NULL, CRD_INPUT_RANKING },
    { "t.csv", "a,b,ranking,predicted,label\n2,3,7.5,1,1\n4,5,-3,0,0\n", "the ranking is read",
      CRD_INPUT_RANKING },
    { "t.csv", "a,b,ranking,label\n2,3,7.5,1\n4,5,-3,0\n", "'ranking' (a ranking)",
      CRD_INPUT_LOGITS },
    { "t.csv", "confidence,predicted,label\n.5,1,1\n.7,0,2\n", NULL, CRD_INPUT_PAIRS },
    { "t.jsonl", "{\"ranking\": 7.5, \"predicted\": 1, \"label\": 1}\n", NULL, CRD_INPUT_RANKING },
    { "t.jsonl", "{\"ranking\": 7.5, \"predicted\": \"a\", \"label\": \"b\"}\n", NULL,
      CRD_INPUT_RANKING },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *const path = put_text(cases[i].name, cases[i].text);
    crd_predictions *p;
    WORKS(*state, crd_predictions_open(*state, path, NULL, &p));
    assert_int_equal(p->parts.input, cases[i].input);
    if (cases[i].input == CRD_INPUT_RANKING)
      assert_true(crd__data_array_number(&p->parts.scores, 0, 0) == 7.5);
    if (cases[i].note) assert_true(is_noted(p, cases[i].note));
    crd_predictions_destroy(p);
    unlink(path);
  }
}

static void missing_parts_are_named(void **state) {
  static const struct {
    const char *text, *words;
  } cases[] = {
    { "ranking,label\n7.5,1\n-3,0\n", "rankings need `correct`, or true labels and predicted" },
    { "ranking,predicted\n7.5,1\n-3,0\n", "rankings need `correct`" },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *const path = put_text("m.csv", cases[i].text);
    crd_predictions *p;
    FAILS(*state, CRD_EINPUT, crd_predictions_open(*state, path, NULL, &p), cases[i].words);
    assert_null(p);
    unlink(path);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(arrays_take_precedence),
    TEST(tables_too),
    TEST(missing_parts_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* jsonl_test.c -- JSON Lines: valid files, and errors with their line. */
#include "io/testing.h"

#include "credence/predictions.h"
#include "data/array.h"

static crd_status open_text(crd_context *ctx, const char *text, crd__io_bundle **out) {
  return crd__io_bundle_open_memory(ctx, "x.jsonl", text, strlen(text), NULL, out);
}

/* Expects the array of this name to have these values, row by row. */
static void expect(const crd__io_bundle *bundle, const char *name, size_t rows, size_t cols,
                   const double *numbers) {
  const size_t index = crd__io_bundle_find(bundle, name);
  assert_true(index < bundle->count);
  const crd_array *const view = &bundle->entries[index].view;
  assert_int_equal(crd__data_rows_of(view), rows);
  assert_int_equal(crd__data_cols(view), cols);
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < cols; j++)
      assert_true(crd__data_array_number(view, i, j) == numbers[i * cols + j]);
}

static void reads_scores(void **state) {
  crd__io_bundle *bundle;
  WORKS(*state,
        open_text(*state,
                  "\xef\xbb\xbf{\"id\": \"a}\\\"\", \"logits\": [1.5, -2e-3],\"label\":1}\r\n"
                  "\n"
                  "{\"label\": 0, \"more\": {\"a\": [1, {\"b\": \"]\"}]}, \"logits\":[3,4]}\n\n",
                  &bundle));
  assert_int_equal(bundle->count, 2);
  expect(bundle, "logits", 2, 2, (double[]){ 1.5, -2e-3, 3, 4 });
  expect(bundle, "label", 2, 1, (double[]){ 1, 0 });
  crd__io_bundle_destroy(bundle);
}

static void reads_pairs(void **state) {
  crd__io_bundle *bundle;
  WORKS(*state,
        open_text(*state,
                  "{\"confidence\":0.5,\"correct\":true,\"weight\":2,\"patient\":\"p\\u0031\"}\n"
                  "{\"confidence\":1,\"correct\":false,\"weight\":0.5,\"patient\":\"q\"}\n"
                  "{\"confidence\":1,\"correct\":1,\"weight\":1,\"patient\":\"p1\"}",
                  &bundle));
  expect(bundle, "confidence", 3, 1, (double[]){ 0.5, 1, 1 });
  expect(bundle, "correct", 3, 1, (double[]){ 1, 0, 1 });
  expect(bundle, "weight", 3, 1, (double[]){ 2, 0.5, 1 });
  const size_t patient = crd__io_bundle_find(bundle, "patient");
  assert_string_equal(bundle->entries[patient].names[0], "p1");
  assert_string_equal(bundle->entries[patient].names[1], "q");
  assert_string_equal(bundle->entries[patient].names[2], "p1");
  crd__io_bundle_destroy(bundle);
  /* Class names that only have to be distinguished. */
  WORKS(*state, open_text(*state,
                          "{\"confidence\":0.5,\"pred\":\"cat\",\"label\":\"dog\"}\n"
                          "{\"confidence\":1,\"pred\":\"dog\",\"label\":\"dog\"}",
                          &bundle));
  expect(bundle, "pred_label", 2, 1, (double[]){ 0, 1 });
  expect(bundle, "label", 2, 1, (double[]){ 1, 1 });
  crd__io_bundle_destroy(bundle);
}

/* If two keys have the same role, the second is ignored in every line. */
static void passes_over_repetition(void **state) {
  crd__io_bundle *bundle;
  WORKS(*state, open_text(*state,
                          "{\"confidence\":0.5,\"pred\":1,\"prediction\":\"cat\",\"label\":0}\n"
                          "{\"confidence\":1,\"prediction\":\"dog\",\"pred\":0,\"label\":0}",
                          &bundle));
  assert_int_equal(bundle->count, 3);
  expect(bundle, "pred_label", 2, 1, (double[]){ 1, 0 });
  crd__io_bundle_destroy(bundle);
}

/* Keys name the classes, in the order of the first line; the label may come before them. */
static void reads_scores_by_class(void **state) {
  crd__io_bundle *bundle;
  WORKS(*state, open_text(*state,
                          "{\"label\":\"dog\",\"probs\":{\"cat\":0.25,\"dog\":0.75}}\n"
                          "{\"probs\":{\"dog\":0.125,\"cat\":0.875},\"label\":\"cat\"}",
                          &bundle));
  expect(bundle, "probs", 2, 2, (double[]){ 0.25, 0.75, 0.875, 0.125 });
  expect(bundle, "label", 2, 1, (double[]){ 1, 0 });
  assert_int_equal(bundle->class_name_count, 2);
  assert_string_equal(bundle->class_names[1], "dog");
  crd__io_bundle_destroy(bundle);
}

/* Given class names determine the order of lists and of keys. */
static void follows_given_names(void **state) {
  const char *const names = put_text("names.txt", "dog\ncat\n");
  const crd_open_options options = { .size = sizeof options, .class_names = names };
  static const char keys[] = "{\"label\":\"dog\",\"probs\":{\"cat\":0.25,\"dog\":0.75}}\n";
  static const char list[] = "{\"label\":\"cat\",\"probs\":[0.25,0.75]}\n";
  static const char unknown[] = "{\"label\":\"cat\",\"probs\":[0.25,0.75]}\n\n"
                                "{\"label\":\"emu\",\"probs\":[0.25,0.75]}\n";
  crd__io_bundle *bundle;
  WORKS(*state, crd__io_bundle_open_memory(*state, "x", keys, sizeof keys - 1, &options, &bundle));
  expect(bundle, "probs", 1, 2, (double[]){ 0.75, 0.25 });
  expect(bundle, "label", 1, 1, (double[]){ 0 });
  crd__io_bundle_destroy(bundle);
  WORKS(*state, crd__io_bundle_open_memory(*state, "x", list, sizeof list - 1, &options, &bundle));
  expect(bundle, "label", 1, 1, (double[]){ 1 });
  crd__io_bundle_destroy(bundle);
  FAILS(*state, CRD_EINPUT,
        crd__io_bundle_open_memory(*state, "x", unknown, sizeof unknown - 1, &options, &bundle),
        "x: line 3: 'label' is 'emu', expected the name of a class");
  unlink(names);
}

/* String labels stay strings if the classes have no names. */
static void keeps_words(void **state) {
  crd__io_bundle *bundle;
  WORKS(*state,
        open_text(*state,
                  "{\"label\":\"dog\",\"logits\":[1,2]}\n{\"label\":\"a\\tb\",\"logits\":[1,2]}",
                  &bundle));
  const size_t index = crd__io_bundle_find(bundle, "label");
  WORKS(*state, crd__io_bundle_strings(*state, bundle, index));
  assert_int_equal(bundle->entries[index].shape[0], 2);
  assert_string_equal(bundle->entries[index].names[0], "dog");
  assert_string_equal(bundle->entries[index].names[1], "a\tb");
  crd__io_bundle_destroy(bundle);
}

static void refuses_with_the_line(void **state) {
#define FIRST "{\"logits\":[1,2],\"label\":0}\n"
  static const struct {
    const char *text, *words;
  } cases[] = {
    { "\n \n", "blank lines only" },
    { "[1,2]", "x.jsonl: line 1: found '[1,2]', expected an object such as" },
    { "{\"x\":1}", "line 1 has none of the keys that are read" },
    { "{\n\"logits\":[1,2]}", "line 1: found '', expected a string" },
    { "{\"logits\":[1,2],\n\"label\":0}", "line 1: found '', expected a string" },
    { "{\"logits\":[1,2]\n}",
      "line 1: the object is not closed; expected one object on each line" },
    { "{\"logits\":[],\"label\":0}", "line 1: 'logits' is an empty list" },
    { "{\"logits\":[[1,2],[3,4]]}",
      "line 1: found '[1,2],[3,4]]}', expected a number, one list a" },
    { "{\"logits\":\"a\"}", "line 1: found '\"a\"}', expected a number, a list of numbers" },
    { "{\"weight\":\"a\"}", "line 1: found '\"a\"}', expected a number" },
    { "{\"label\":null}", "line 1: found 'null}', expected a number" },
    { "{\"label\":{\"a\":1}}", "expected a class index or name" },
    { FIRST "{\"logits\":[1,2,3],\"label\":0}", "line 2: 'logits' has 3 numbers, expected 2" },
    { FIRST "\n{\"logits\":[1],\"label\":0}", "line 3: 'logits' has 1 numbers, expected 2" },
    { FIRST "{\"logits\":[1,2]}", "line 2: 'label' is missing, which the first line has" },
    { FIRST "{\"logits\":[1,2],\"label\":0,\"weight\":1}",
      "line 2: has 'weight', which the first" },
    { FIRST "{\"logits\":[1,\"2\"],\"label\":0}", "line 2: found '\"2\"],\"label\":0}', expected" },
    { FIRST "{\"logits\":[1 2],\"label\":0}",
      "line 2: found '2],\"label\":0}', expected ',' or ']'" },
    { FIRST "{\"logits\":[1,2],\"label\":\"a\"}", "line 2: found '\"a\"}', expected a number" },
    { FIRST "{\"logits\":[1,2],\"label\":0,\"label\":0}", "line 2: 'label' occurs twice" },
    { FIRST "{\"logits\":[1,2],\"label\":0} 3", "line 2: found '3', expected nothing after '}'" },
    { FIRST "{\"logits\":[1,2],\"label\"", "line 2: found '', expected ':'" },
    { FIRST "{\"logits\":[1,2],\"x\":}", "line 2: found '}', expected a value" },
    { "{\"label\":\"a\"}\n{\"label\":1}", "line 2: found '1}', expected text in" },
    { "{\"probs\":{\"a\":1,\"b\":0}}\n{\"probs\":{\"a\":1}}",
      "line 2: 'probs' has 1 numbers, expe" },
    { "{\"probs\":{\"a\":1,\"b\":0}}\n{\"probs\":{\"a\":1,\"c\":0}}", "line 2: found class 'c'" },
    { "{\"probs\":{\"a\":1,\"a\":0}}", "line 1: class 'a' occurs twice" },
    { "{\"probs\":{}}", "line 1: 'probs' has 0 numbers" },
    { "{\"label\":\"c\",\"probs\":{\"a\":1,\"b\":0}}",
      "line 1: 'label' is 'c', expected the name" },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    crd__io_bundle *bundle;
    FAILS(*state, CRD_EINPUT, open_text(*state, cases[i].text, &bundle), cases[i].words);
    assert_null(bundle);
  }
}

/* The format is recognised by the first character if the extension is unknown; .csv stays a table.
 */
static void recognises_content(void **state) {
  static const char text[] = " \n{\"score\": 0.25, \"label\": 1}\n";
  crd__io_bundle *bundle;
  WORKS(*state,
        crd__io_bundle_open_memory(*state, "standard input", text, sizeof text - 1, NULL, &bundle));
  expect(bundle, "scores", 1, 1, (double[]){ 0.25 });
  crd__io_bundle_destroy(bundle);
  WORKS(*state, open_text(*state, "\xef\xbb\xbf{\"confidence\":0.5,\"correct\":1}", &bundle));
  expect(bundle, "confidence", 1, 1, (double[]){ 0.5 }); /* after a byte order mark */
  crd__io_bundle_destroy(bundle);
  FAILS(*state, CRD_EINPUT,
        crd__io_bundle_open_memory(*state, "x.csv", text, sizeof text - 1, NULL, &bundle),
        "column");
}

/* Many lines, so that every array grows several times. */
static void reads_many_lines(void **state) {
  enum { LINES = 5000 };
  crd_context *const ctx = *state;
  crd__text text;
  crd__io_bundle *bundle;
  crd__text_init(&text, &ctx->alloc);
  for (int i = 0; i < LINES; i++)
    crd__text_addf(&text, "{\"logits\": [%d, %d, 0.5], \"label\": %d, \"group\": \"g%d\"}\n", i, -i,
                   i % 3, i % 700);
  WORKS(ctx, crd__io_bundle_open_memory(ctx, "x.ndjson", text.bytes, text.length, NULL, &bundle));
  const size_t logits = crd__io_bundle_find(bundle, "logits");
  for (size_t i = 0; i < LINES; i++) {
    assert_true(crd__data_array_number(&bundle->entries[logits].view, i, 0) == (double)i);
    assert_true(crd__data_array_number(&bundle->entries[logits].view, i, 1) == -(double)i);
  }
  const size_t group = crd__io_bundle_find(bundle, "group");
  assert_string_equal(bundle->entries[group].names[LINES - 1], "g99");
  crd__io_bundle_destroy(bundle);
  crd__text_clear(&text);
}

static crd_status open_path(crd_context *ctx, const void *path) {
  crd_predictions *p;
  const crd_status status = crd_predictions_open(ctx, path, NULL, &p);
  crd_predictions_destroy(p);
  return status;
}

static void survives_no_memory(void **state) {
  (void)state;
  const char *const path =
      put_text("memory.jsonl",
               "{\"label\":\"dog\",\"probs\":{\"cat\":0.25,\"dog\":0.75},\"group\":\"a\"}\n"
               "{\"label\":\"cat\",\"probs\":{\"cat\":0.25,\"dog\":0.75},\"group\":\"b\"}\n");
  fail_each_allocation(open_path, path);
  unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(reads_scores),          TEST(reads_pairs),         TEST(passes_over_repetition),
    TEST(reads_scores_by_class), TEST(follows_given_names), TEST(keeps_words),
    TEST(refuses_with_the_line), TEST(recognises_content),  TEST(reads_many_lines),
    TEST(survives_no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

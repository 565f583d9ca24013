/* encode_test.c -- encodings: classes, statistics and words learned, and applied by name. */
#include "dataset/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static crd_encoding *learned(crd_context *ctx, const crd_dataset *dataset,
                             const crd_encoding_options *options) {
  crd_encoding *encoding;
  if (crd_encoding_learn(ctx, dataset, options, &encoding) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  return encoding;
}

static const char *const animals[] = { "dog", "cat", "10", "9" };
static const test_plan images = { 37, 3, 5, 7, .labels = animals, .label_count = 4 };

/* ---- Classes. */

static void classes_are_those_that_occur(void **state) {
  crd_context *const ctx = *state;
  static const size_t some[] = { 0, 2, 3, 4 }; /* dog, 10, 9, dog */
  static const char *const expected[] = { "9", "10", "dog" };
  crd_dataset *const all = test_dataset(ctx, TEST_FLOATS, &images), *part;
  assert_int_equal(crd_dataset_take(ctx, all, some, 4, &part), CRD_OK);
  crd_encoding *const encoding = learned(ctx, part, NULL);
  assert_int_equal(encoding->class_count, 3);
  for (size_t k = 0; k < 3; k++) assert_string_equal(encoding->class_names[k], expected[k]);
  assert_int_equal(crd_dataset_encode(ctx, part, encoding), CRD_OK);
  assert_int_equal(crd_dataset_describe(part)->classes, 3);
  assert_string_equal(crd_dataset_describe(part)->class_names[2], "dog");
  assert_int_equal(crd_dataset_label(part, 0), 2);
  assert_int_equal(crd_dataset_label(part, 1), 1);
  assert_int_equal(crd_dataset_label(part, 2), 0);
  assert_int_equal(crd_dataset_label(all, 0), 3); /* as before */

  assert_int_equal(crd_dataset_encode(ctx, all, encoding), CRD_EINPUT);
  assert_string_equal(crd_context_message(ctx),
                      "test: row 1 (folder/one.png) has the label 'cat', which is none of the 3 "
                      "classes: '9', '10', 'dog'");
  assert_int_equal(crd_dataset_label(all, 0), 3);
  assert_int_equal(crd_dataset_describe(all)->classes, 4);
  crd_encoding_destroy(encoding);
  crd_dataset_destroy(part);
  crd_dataset_destroy(all);
}

static void a_close_class_is_suggested(void **state) {
  crd_context *const ctx = *state;
  static const char *const fruit[] = { "banana" }, *const typo[] = { "bananna" };
  crd_dataset *const a =
      test_dataset(ctx, TEST_FLOATS, &(test_plan){ 2, 1, 1, 2, .labels = fruit, .label_count = 1 });
  crd_dataset *const b =
      test_dataset(ctx, TEST_FLOATS, &(test_plan){ 2, 1, 1, 2, .labels = typo, .label_count = 1 });
  crd_encoding *const encoding = learned(ctx, a, NULL);
  assert_int_equal(crd_dataset_encode(ctx, b, encoding), CRD_EINPUT);
  assert_non_null(strstr(crd_context_message(ctx), "did you mean 'banana'?"));
  crd_encoding_destroy(encoding);
  crd_dataset_destroy(a);
  crd_dataset_destroy(b);
}

/* Parts of an encoded dataset stay encoded; a second encoding replaces the first. */
static void parts_keep_the_code(void **state) {
  crd_context *const ctx = *state;
  static const size_t some[] = { 1, 0 };
  crd_dataset *const all = test_dataset(ctx, TEST_FLOATS, &images), *part;
  crd_encoding *const encoding = learned(ctx, all, NULL);
  char *const first = encoding->class_names[0];
  encoding->class_names[0] = encoding->class_names[3]; /* other indices: dog 10 cat 9 */
  encoding->class_names[3] = first;
  assert_int_equal(crd_dataset_encode(ctx, all, encoding), CRD_OK);
  assert_int_equal(crd_dataset_take(ctx, all, some, 2, &part), CRD_OK);
  crd_dataset_destroy(all);
  assert_int_equal(crd_dataset_label(part, 1), 0);
  assert_string_equal(crd_dataset_describe(part)->class_names[0], "dog");
  encoding->class_names[3] = encoding->class_names[0];
  encoding->class_names[0] = first;
  assert_int_equal(crd_dataset_encode(ctx, part, encoding), CRD_OK);
  assert_int_equal(crd_dataset_label(part, 1), 3);
  crd_encoding_destroy(encoding);
  crd_dataset_destroy(part);
}

/* ---- Mean and standard deviation. */

/* The definition, in plain loops of long doubles. */
static void define(crd_context *ctx, const crd_dataset *dataset, size_t channels, size_t area,
                   double *mean, double *std) {
  const size_t rows = crd_dataset_describe(dataset)->rows;
  float *const values = calloc(channels * area, sizeof *values);
  for (int pass = 0; pass < 2; pass++)
    for (size_t c = 0; c < channels; c++) {
      long double sum = 0;
      for (size_t row = 0; row < rows; row++) {
        assert_int_equal(crd_dataset_read(ctx, dataset, &row, 1, values), CRD_OK);
        for (size_t i = 0; i < area; i++) {
          const long double d = (long double)values[c * area + i] - (pass ? mean[c] : 0);
          sum += pass ? d * d : d;
        }
      }
      sum /= (long double)(rows * area);
      if (pass) std[c] = (double)sqrtl(sum);
      else mean[c] = (double)sum;
    }
  free(values);
}

static void statistics_agree_with_the_definition(void **state) {
  crd_context *const ctx = *state;
  for (test_way way = TEST_BYTES; way < TEST_KINDS; way++) {
    crd_dataset *const dataset = test_dataset(ctx, way, &images);
    double mean[3], std[3];
    define(ctx, dataset, 3, 35, mean, std);
    for (unsigned threads = 1; threads <= 3; threads++) {
      crd_context_set_threads(ctx, threads);
      crd_encoding *const encoding = learned(ctx, dataset, NULL);
      assert_int_equal(encoding->channels, 3);
      static double first[TEST_KINDS][6];
      if (threads == 1) memcpy(first[way], encoding->mean, sizeof mean);
      if (threads == 1) memcpy(first[way] + 3, encoding->std, sizeof std);
      assert_memory_equal(first[way], encoding->mean, sizeof mean);
      assert_memory_equal(first[way] + 3, encoding->std, sizeof std);
      for (size_t c = 0; c < 3; c++) {
        /* b / 255 in float32, against exact sums of bytes */
        assert_true(near(encoding->mean[c], mean[c], way < TEST_FLOATS ? 3e-8 : 1e-14));
        assert_true(near(encoding->std[c], std[c], way < TEST_FLOATS ? 3e-8 : 1e-14));
      }
      crd_encoding_destroy(encoding);
    }
    crd_context_set_threads(ctx, 0);
    crd_dataset_destroy(dataset);
  }
}

/* Columns with a large offset, a constant one, and one that is not finite. */
static void columns_have_statistics(void **state) {
  crd_context *const ctx = *state;
  enum { ROWS = 300 };
  static float x[ROWS][3];
  double mean[3], std[3];
  for (size_t i = 0; i < ROWS; i++) {
    x[i][0] = 1e6F + (float)(i % 7);
    x[i][1] = 0.1F;
    x[i][2] = (float)crd__random_normal(1, 2, i);
  }
  const crd_dataset_arrays arrays = { .size = sizeof arrays,
                                      .inputs = crd_array_matrix(x, CRD_F32, ROWS, 3) };
  crd_dataset *dataset;
  assert_int_equal(crd_dataset_create(ctx, &arrays, &dataset), CRD_OK);
  define(ctx, dataset, 3, 1, mean, std);
  crd_encoding *const encoding = learned(ctx, dataset, NULL);
  assert_int_equal(encoding->channels, 3);
  assert_int_equal(encoding->class_count, 0);
  for (size_t c = 0; c < 3; c += 2) {
    assert_true(near(encoding->mean[c], mean[c], 1e-13));
    assert_true(near(encoding->std[c], std[c], 1e-11));
  }
  assert_true(encoding->mean[1] == (double)0.1F && encoding->std[1] == 1);
  crd_encoding_destroy(encoding);

  crd_encoding *const plain =
      learned(ctx, dataset,
              &(crd_encoding_options){ .size = sizeof(crd_encoding_options), .keep_scale = 1 });
  assert_int_equal(plain->channels, 0);
  crd_encoding_destroy(plain);

  crd_encoding *none;
  x[33][2] = INFINITY;
  x[200][0] = NAN;
  assert_int_equal(crd_encoding_learn(ctx, dataset, NULL, &none), CRD_EINPUT);
  assert_null(none);
  assert_string_equal(crd_context_message(ctx), "dataset: row 33, element 2: found an infinity, "
                                                "expected a finite number");
  crd_dataset_destroy(dataset);
}

/* ---- Texts. */

static const char *const poems[] = { "The cat sat", "the dog sat on the cat's mat, the mat", "",
                                     "zebra! the end" };
static const test_plan texts = { 4, .texts = poems, .labels = animals, .label_count = 4 };

static void texts_become_tokens(void **state) {
  crd_context *const ctx = *state;
  static const char *const expected[] = { "the", "mat", "sat" };
  static const int64_t tokens[4][5] = {
    { 2, 1, 4, 0, 0 }, { 2, 1, 4, 1, 2 }, { 0, 0, 0, 0, 0 }, { 1, 2, 1, 0, 0 }
  };
  static const size_t order[] = { 3, 1, 1, 0, 2 };
  crd_dataset *const dataset = test_dataset(ctx, TEST_BYTES, &texts), *part;
  int64_t found[5][5];
  crd_encoding *const encoding =
      learned(ctx, dataset,
              &(crd_encoding_options){
                  .size = sizeof(crd_encoding_options), .word_count = 3, .length = 5 });
  assert_int_equal(encoding->word_count, 3);
  assert_int_equal(encoding->channels, 0);
  for (size_t i = 0; i < 3; i++) assert_string_equal(encoding->words[i], expected[i]);

  assert_int_equal(crd_dataset_read(ctx, dataset, order, 1, found), CRD_EUSAGE);
  assert_int_equal(crd_dataset_take(ctx, dataset, order, 5, &part), CRD_OK);
  assert_int_equal(crd_dataset_encode(ctx, part, encoding), CRD_OK);
  const crd_dataset_shape *const shape = crd_dataset_describe(part);
  assert_int_equal(shape->dtype, CRD_I64);
  assert_int_equal(shape->rank, 1);
  assert_int_equal(shape->dims[0], 5);
  assert_int_equal(crd_dataset_read(ctx, part, (const size_t[]){ 0, 1, 2, 3, 4 }, 5, found),
                   CRD_OK);
  for (size_t i = 0; i < 5; i++) assert_memory_equal(found[i], tokens[order[i]], sizeof found[i]);

  crd_encoding wordless = *encoding;
  wordless.length = 0;
  assert_int_equal(crd_dataset_encode(ctx, part, &wordless), CRD_EINPUT);
  crd_encoding_destroy(encoding);
  crd_dataset_destroy(part);
  crd_dataset_destroy(dataset);
}

static void defaults_of_texts(void **state) {
  crd_context *const ctx = *state;
  crd_dataset *const dataset = test_dataset(ctx, TEST_BYTES, &texts);
  crd_encoding *const encoding = learned(ctx, dataset, NULL);
  assert_int_equal(encoding->length, 500);
  assert_int_equal(encoding->word_count, 9);
  crd_encoding_destroy(encoding);
  crd_dataset_destroy(dataset);
}

/* ---- Memory. */

static void memory_may_run_out(void **state) {
  (void)state;
  for (int text = 0; text < 2; text++)
    for (long at = 1;; at++) {
      test_allocator counter = { .fail_at = at };
      const crd_allocator alloc = failing_allocator(&counter);
      crd_context *ctx;
      crd__dataset_store *store = NULL;
      crd_dataset *dataset = NULL;
      crd_encoding *encoding = NULL;
      assert_int_equal(crd_context_create(&alloc, &ctx), CRD_OK);
      crd_context_set_threads(ctx, 1);
      crd_status status = test_store(ctx, TEST_DECODED, text ? &texts : &images, &store);
      if (status == CRD_OK) status = crd__dataset_of_store(ctx, store, "test", &dataset);
      if (status == CRD_OK) status = crd_encoding_learn(ctx, dataset, NULL, &encoding);
      if (status == CRD_OK) status = crd_dataset_encode(ctx, dataset, encoding);
      const bool reached = counter.calls > at;
      if (status != CRD_OK) assert_true(reached && status == CRD_ENOMEM);
      crd_encoding_destroy(encoding);
      crd_dataset_destroy(dataset);
      crd_context_destroy(ctx);
      assert_int_equal(counter.live, 0);
      if (!reached) break;
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(classes_are_those_that_occur),
    cmocka_unit_test(a_close_class_is_suggested),
    cmocka_unit_test(parts_keep_the_code),
    cmocka_unit_test(statistics_agree_with_the_definition),
    cmocka_unit_test(columns_have_statistics),
    cmocka_unit_test(texts_become_tokens),
    cmocka_unit_test(defaults_of_texts),
    cmocka_unit_test(memory_may_run_out),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

/* encoding_test.c -- encodings in the metadata of a model: written, read, rejected. */
#include "io/testing.h"

#include "credence/edit.h"

static const char row_model[] = CREDENCE_SOURCE "/tests/cli/data/net.onnx";
static const char image_model[] = CREDENCE_SOURCE "/tests/cli/data/image.onnx";

static char strings[5][16] = { "cat", "dog \"x\"", "\xc3\xa9t\xc3\xa9", "the", "" };
static char *classes[] = { strings[0], strings[1], strings[2] };
static char *words[] = { strings[3], strings[4] };
static double mean[] = { .1, -1e-300, 3 }, deviation[] = { 1. / 3, 5e-324, 1e300 };

static crd_model *open_model(crd_context *ctx, const char *path) {
  crd_model *model;
  WORKS(ctx, crd_model_open(ctx, path, &model));
  return model;
}

static void check_strings(char *const *got, char *const *want, size_t count) {
  for (size_t i = 0; i < count; i++) assert_string_equal(got[i], want[i]);
}

static void check_round_trip(crd_context *ctx, const char *path, const crd_encoding *e,
                             const char *layout) {
  crd_model *const model = open_model(ctx, path);
  crd_model *first, *second;
  crd_encoding *read;
  WORKS(ctx, crd_model_set_encoding(ctx, model, e, &first));
  WORKS(ctx, crd_model_encoding(ctx, first, &read));
  assert_int_equal(read->class_count, e->class_count);
  assert_int_equal(read->word_count, e->word_count);
  assert_int_equal(read->length, e->length);
  assert_int_equal(read->channels, e->channels);
  check_strings(read->class_names, e->class_names, e->class_count);
  check_strings(read->words, e->words, e->word_count);
  for (size_t i = 0; i < e->channels; i++)
    assert_true(read->mean[i] == e->mean[i] && read->std[i] == e->std[i]);
  assert_string_equal(crd_model_metadata(first, "credence.layout"), layout);
  WORKS(ctx, crd_model_set_encoding(ctx, first, read, &second)); /* the same bytes again */
  const char *const a = scratch_path("a.onnx"), *const b = scratch_path("b.onnx");
  WORKS(ctx, crd_model_save(ctx, first, a));
  WORKS(ctx, crd_model_save(ctx, second, b));
  crd__blob left, right;
  WORKS(ctx, crd__blob_open(ctx, a, &left));
  WORKS(ctx, crd__blob_open(ctx, b, &right));
  assert_int_equal(left.length, right.length);
  assert_memory_equal(left.bytes, right.bytes, left.length);
  crd__blob_close(&ctx->alloc, &left);
  crd__blob_close(&ctx->alloc, &right);
  unlink(a);
  unlink(b);
  crd_encoding_destroy(read);
  crd_model_destroy(second);
  crd_model_destroy(first);
  crd_model_destroy(model);
}

static void round_trips(void **state) {
  const crd_encoding images = {
    .class_count = 3, .class_names = classes, .channels = 3, .mean = mean, .std = deviation
  };
  const crd_encoding texts = {
    .class_count = 2, .class_names = classes, .word_count = 2, .words = words, .length = 500
  };
  const crd_encoding plain = { .class_count = 1, .class_names = classes };
  check_round_trip(*state, image_model, &images, "nchw");
  check_round_trip(*state, row_model, &plain, "nc");
  check_round_trip(*state, row_model, &texts, "tokens");
}

static void an_encoding_replaces_all_of_another(void **state) {
  const crd_encoding texts = {
    .class_count = 2, .class_names = classes, .word_count = 2, .words = words, .length = 500
  };
  const crd_encoding none = { .class_count = 0 };
  crd_model *const model = open_model(*state, row_model);
  crd_model *first, *second;
  crd_encoding *read = (crd_encoding *)state;
  WORKS(*state, crd_model_encoding(*state, model, &read));
  assert_null(read);
  WORKS(*state, crd_model_set_encoding(*state, model, &texts, &first));
  assert_string_equal(crd_model_metadata(first, "credence.class_names"),
                      "[\"cat\",\"dog \\\"x\\\"\"]");
  assert_string_equal(crd_model_metadata(first, "credence.length"), "500");
  WORKS(*state, crd_model_set_encoding(*state, first, &none, &second));
  assert_null(crd_model_metadata(second, "credence.class_names"));
  assert_null(crd_model_metadata(second, "credence.length"));
  WORKS(*state, crd_model_encoding(*state, second, &read));
  assert_null(read);
  crd_model_destroy(second);
  crd_model_destroy(first);
  crd_model_destroy(model);
}

static void invalid_encodings_are_refused(void **state) {
  static const struct {
    crd_metadata pairs[2];
    const char *words;
  } bad[] = {
    { { { "credence.class_names", "cat" } }, "the metadata credence.class_names is not JSON" },
    { { { "credence.class_names", "" } }, "the metadata credence.class_names is not JSON" },
    { { { "credence.class_names", "3" } }, "credence.class_names must be a list of strings" },
    { { { "credence.class_names", "[]" } }, "credence.class_names must be a list of strings" },
    { { { "credence.class_names", "[\"a\", 1]" } }, "must be a list of strings" },
    { { { "credence.class_names", "[\"a\", \"b\", \"a\"]" } }, "class_names has 'a' twice" },
    { { { "credence.mean", "[1]" } }, "credence.mean has 1 numbers, credence.std has 0" },
    { { { "credence.mean", "[1]" }, { "credence.std", "[1,2]" } },
      "credence.mean has 1 numbers, credence.std has 2" },
    { { { "credence.mean", "[null]" } }, "credence.mean must be a list of finite numbers" },
    { { { "credence.mean", "0.5" } }, "credence.mean must be a list of numbers" },
    { { { "credence.mean", "[1e999]" } }, "credence.mean is not JSON" },
    { { { "credence.std", "[0]" } }, "credence.std must be a list of positive numbers" },
    { { { "credence.std", "{}" } }, "credence.std must be a list of numbers" },
    { { { "credence.length", "0" } }, "credence.length must be a positive integer" },
    { { { "credence.length", "1.5" } }, "credence.length must be a positive integer" },
    { { { "credence.length", "[" } }, "credence.length is not JSON" },
    { { { "credence.length", "5" } }, "credence.length without credence.vocabulary" },
    { { { "credence.vocabulary", "[\"a\"]" } }, "credence.vocabulary without credence.length" },
  };
  crd_model *const model = open_model(*state, row_model);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    crd_model *changed;
    crd_encoding *read = (crd_encoding *)state;
    const size_t count = bad[i].pairs[1].key ? 2 : 1;
    WORKS(*state, crd_model_update(*state, model, NULL, 0, bad[i].pairs, count, &changed));
    FAILS(*state, CRD_EINPUT, crd_model_encoding(*state, changed, &read), bad[i].words);
    FAILS(*state, CRD_EINPUT, crd_model_encoding(*state, changed, &read), row_model);
    assert_null(read);
    crd_model_destroy(changed);
  }
  crd_model_destroy(model);
}

static crd_status set_and_read(crd_context *ctx, const void *encoding) {
  crd_model *model = NULL, *changed = NULL;
  crd_encoding *read = NULL;
  crd_status status = crd_model_open(ctx, row_model, &model);
  if (status == CRD_OK) status = crd_model_set_encoding(ctx, model, encoding, &changed);
  if (status == CRD_OK) status = crd_model_encoding(ctx, changed, &read);
  crd_encoding_destroy(read);
  crd_model_destroy(changed);
  crd_model_destroy(model);
  return status;
}

static void survives_lack_of_memory(void **state) {
  const crd_encoding all = { 3, classes, 2, words, 5, 3, mean, deviation };
  (void)state;
  fail_each_allocation(set_and_read, &all);
}

int main(void) {
  const struct CMUnitTest tests[] = { TEST(round_trips), TEST(an_encoding_replaces_all_of_another),
                                      TEST(invalid_encodings_are_refused),
                                      TEST(survives_lack_of_memory) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

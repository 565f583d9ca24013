/* state_test.c -- saved evidence: merged parts, limits of memory, repeated rows, damage. */
#include "metric/evidence.h"
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const crd_evaluate_options everything = { .size = sizeof everything,
                                                 .metrics = "all",
                                                 .resamples = 5 };
static const test_recipe recipe = {
  .rows = 120, .classes = 3, .seed = 8, .spread = 2, .accuracy = .7, .weighted = true
};

static const char *save(crd_context *ctx, const crd_evidence *evidence, char path[256],
                        const char *name) {
  crd_output *output = NULL;
  temporary_path(path, name);
  assert_int_equal(crd_output_open(ctx, path, &output), CRD_OK);
  assert_int_equal(crd_evidence_save(ctx, evidence, output), CRD_OK);
  assert_int_equal(crd_output_commit(ctx, output), CRD_OK);
  return path;
}

static crd_evidence *load(crd_context *ctx, const char *path) {
  crd_evidence *evidence = NULL;
  if (crd_evidence_load(ctx, path, &evidence) != CRD_OK) fail_msg("%s", crd_context_message(ctx));
  return evidence;
}

static void expect_same(crd_context *ctx, crd_evidence *a, crd_evidence *b) {
  const crd_result *x = NULL, *y = NULL;
  assert_int_equal(crd_evidence_judge(ctx, a, &x), CRD_OK);
  assert_int_equal(crd_evidence_judge(ctx, b, &y), CRD_OK);
  assert_int_equal(x->rows, y->rows);
  assert_string_equal(x->name, y->name);
  assert_int_equal(x->note_count, y->note_count);
  for (size_t i = 0; i < x->value_count; i++) {
    assert_true(same_bits(x->values[i].value, y->values[i].value));
    assert_true(same_bits(x->values[i].low, y->values[i].low));
    assert_true(same_bits(x->values[i].high, y->values[i].high));
  }
  crd_result_destroy(x);
  crd_result_destroy(y);
}

/* Parts that are saved, loaded and merged in any order equal the whole. */
static void parts_make_the_whole(void **state) {
  crd_context *const ctx = *state;
  static const size_t cuts[] = { 0, 30, 31, 90, 120 };
  static const size_t orders[][4] = { { 0, 1, 2, 3 }, { 3, 2, 1, 0 }, { 2, 0, 3, 1 } };
  test_data data = make_data(recipe);
  data.weights[30] = 1; /* a part of one row, whose weight must not be 0 */
  char paths[4][256], name[20];
  crd_evidence *const whole = data_evidence(ctx, &data, 0, 120, &everything);
  for (size_t i = 0; i < 4; i++) {
    crd_evidence *const part = data_evidence(ctx, &data, cuts[i], cuts[i + 1], &everything);
    snprintf(name, sizeof name, "state-%zu", i);
    save(ctx, part, paths[i], name);
    crd_evidence_destroy(part);
  }
  for (size_t o = 0; o < 3; o++) {
    crd_evidence *const merged = load(ctx, paths[orders[o][0]]);
    for (size_t i = 1; i < 4; i++) {
      crd_evidence *const part = load(ctx, paths[orders[o][i]]);
      if (crd_evidence_merge(ctx, merged, part) != CRD_OK) fail_msg("%s", crd_context_message(ctx));
      crd_evidence_destroy(part);
    }
    expect_same(ctx, whole, merged);
    crd_evidence_destroy(merged);
  }
  for (size_t i = 0; i < 4; i++) unlink(paths[i]);
  crd_evidence_destroy(whole);
  free_data(&data);
}

/* A thousand resamples of this many bins would need more than 4 GiB: sce has no interval, the
 * others do, also in a loaded state. */
static void too_many_cells_have_no_interval(void **state) {
  crd_context *const ctx = *state;
  test_data data = make_data(
      (test_recipe){ .rows = 5, .classes = 1000, .seed = 9, .spread = 2, .accuracy = .5 });
  const crd_evaluate_options options = {
    .size = sizeof options, .metrics = "accuracy,sce,nll", .bins = 140, .resamples = 1000
  };
  crd_evidence *const evidence = data_evidence(ctx, &data, 0, 5, &options);
  const crd_result *result = NULL;
  char path[256];
  assert_int_equal(crd_evidence_judge(ctx, evidence, &result), CRD_OK);
  assert_int_equal(result->resamples, 1000);
  assert_int_equal(result->note_count, 1);
  assert_non_null(strstr(result->notes[0], "sce has no interval"));
  for (size_t i = 0; i < 3; i++) {
    const bool bare = strcmp(result->values[i].metric->name, "sce") == 0;
    assert_true(isfinite(result->values[i].value) != 0);
    assert_true((isnan(result->values[i].low) != 0) == bare);
    assert_true((isnan(result->values[i].high) != 0) == bare);
  }
  crd_result_destroy(result);
  crd_evidence *const loaded = load(ctx, save(ctx, evidence, path, "state-no-room"));
  expect_same(ctx, evidence, loaded);
  crd_evidence_destroy(loaded);
  crd_evidence_destroy(evidence);
  unlink(path);
  free_data(&data);
}

static void rows_are_not_counted_twice(void **state) {
  crd_context *const ctx = *state;
  test_data data = make_data(recipe);
  crd_evidence *const a = data_evidence(ctx, &data, 0, 60, &everything);
  crd_evidence *const b = data_evidence(ctx, &data, 50, 120, &everything);
  assert_int_equal(crd_evidence_merge(ctx, a, b), CRD_EINPUT);
  assert_non_null(strstr(crd_context_message(ctx), "rows 50:60 are in both"));
  crd_predictions *const p = data_predictions(ctx, &data, 0, 1);
  assert_int_equal(crd_evidence_add(ctx, a, p, 59), CRD_EINPUT);
  crd_predictions_destroy(p);
  crd_evidence_destroy(a);
  crd_evidence_destroy(b);
  free_data(&data);
}

static unsigned char *read_file(const char *path, size_t *length) {
  unsigned char *const bytes = malloc(1 << 20);
  FILE *const file = fopen(path, "rb");
  assert_non_null(file);
  *length = fread(bytes, 1, 1 << 20, file);
  fclose(file);
  return bytes;
}

/* Every truncation and every changed byte is detected. */
static void damage_is_noticed(void **state) {
  crd_context *const ctx = *state;
  test_data data = make_data(recipe);
  crd_evidence *const evidence = data_evidence(ctx, &data, 0, 20, &everything);
  crd_evidence *other = NULL;
  char path[256];
  size_t length;
  unsigned char *const bytes = read_file(save(ctx, evidence, path, "state"), &length);
  unlink(path);
  assert_int_equal(crd_evidence_load_memory(ctx, "s", bytes, length, &other), CRD_OK);
  crd_evidence_destroy(other);
  for (size_t i = 0; i < length; i += i < 400 ? 1 : 97) {
    other = NULL;
    assert_int_equal(crd_evidence_load_memory(ctx, "s", bytes, i, &other), CRD_EINPUT);
    bytes[i] ^= 0x10;
    assert_int_equal(crd_evidence_load_memory(ctx, "s", bytes, length, &other), CRD_EINPUT);
    assert_null(other);
    bytes[i] ^= 0x10;
  }
  free(bytes);
  crd_evidence_destroy(evidence);
  free_data(&data);
}

/* Recomputes the checksum, so that the changed bytes pass as undamaged. */
static void seal(unsigned char *bytes, size_t length) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < length - 8; i++) hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
  for (size_t i = 0; i < 8; i++) bytes[length - 8 + i] = (unsigned char)(hash >> 8 * i);
}

/* Loading fails if rankings of classes do not match the cells, or are not probabilities. */
static void pairs_of_classes_are_checked(void **state) {
  crd_context *const ctx = *state;
  test_data data =
      make_data((test_recipe){ .rows = 20, .classes = 3, .seed = 8, .spread = 1, .accuracy = .7 });
  crd_predictions *const p = data_predictions(ctx, &data, 0, 20);
  crd_evidence *evidence = NULL;
  assert_int_equal(
      crd_evidence_gather(
          ctx, p,
          &(crd_evaluate_options){ .size = sizeof(crd_evaluate_options), .metrics = "tace" }, 0,
          &evidence),
      CRD_OK);
  char path[256];
  size_t length;
  unsigned char *const bytes = read_file(save(ctx, evidence, path, "state"), &length);
  unlink(path);
  /* The layout from the end of the file: the checksum; for each class two words and 20 records of
   * 16 bytes; two words of the ranking by confidence, which is empty; and the cells, the number of
   * pairs of each class and then the weight. */
  const size_t last = length - 8 - 20 * 16, cells = length - 8 - 3 * (20 * 16 + 16) - 16 - 4 * 16;
  const struct {
    size_t at;
    unsigned char flip;
  } changes[] = { { last - 8, 1 }, { last - 16, 1 }, { last + 7, 0x80 },    { last + 7, 0x40 },
                  { cells, 1 },    { cells + 8, 1 }, { cells + 2 * 16, 4 }, { last - 16, 0x8 } };
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
    crd_evidence *other = NULL;
    bytes[changes[i].at] ^= changes[i].flip;
    seal(bytes, length);
    assert_int_equal(crd_evidence_load_memory(ctx, "s", bytes, length, &other), CRD_EINPUT);
    assert_non_null(strstr(crd_context_message(ctx), "damaged at byte"));
    assert_null(other);
    bytes[changes[i].at] ^= changes[i].flip;
    seal(bytes, length);
    assert_int_equal(crd_evidence_load_memory(ctx, "s", bytes, length, &other), CRD_OK);
    crd_evidence_destroy(other);
  }
  free(bytes);
  crd_evidence_destroy(evidence);
  crd_predictions_destroy(p);
  free_data(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(parts_make_the_whole),
    cmocka_unit_test(too_many_cells_have_no_interval),
    cmocka_unit_test(rows_are_not_counted_twice),
    cmocka_unit_test(damage_is_noticed),
    cmocka_unit_test(pairs_of_classes_are_checked),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

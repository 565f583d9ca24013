/* compare_test.c -- groups and samples on both sides of a split, found as plain loops find them. */
#include "dataset/testing.h"

enum { ROWS = 60, COLS = 3 };

typedef struct {
  float inputs[ROWS][COLS];
  int64_t groups[ROWS];
} samples;

static crd_dataset *made(crd_context *ctx, samples *s, uint64_t seed, bool grouped) {
  crd_dataset *dataset;
  for (size_t i = 0; i < ROWS; i++) {
    for (size_t k = 0; k < COLS; k++) s->inputs[i][k] = (float)(crd__random_bits(seed, k, i) % 4);
    s->groups[i] = (int64_t)(crd__random_bits(seed, 9, i) % 200);
  }
  crd_dataset_arrays arrays = { .size = sizeof arrays,
                                .inputs = crd_array_matrix(s->inputs, CRD_F32, ROWS, COLS) };
  if (grouped) arrays.groups = crd_array_matrix(s->groups, CRD_I64, ROWS, 1);
  if (crd_dataset_create(ctx, &arrays, &dataset) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  return dataset;
}

static crd_overlap overlap_of(crd_context *ctx, const crd_dataset *left, const crd_dataset *right) {
  crd_overlap found;
  if (crd_dataset_compare(ctx, left, right, &found) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  return found;
}

static void overlaps_agree_with_plain_loops(void **state) {
  crd_context *const ctx = *state;
  static samples a, b;
  for (uint64_t seed = 0; seed < 20; seed++) {
    crd_dataset *const left = made(ctx, &a, seed, true), *const right =
                                                             made(ctx, &b, seed + 50, true);
    size_t twins = 0, first_left = 0, first_right = 0, groups = 0;
    for (size_t j = 0; j < ROWS; j++) {
      size_t i = 0;
      while (i < ROWS && memcmp(a.inputs[i], b.inputs[j], sizeof a.inputs[0]) != 0) i++;
      if (i < ROWS && twins++ == 0) first_left = i, first_right = j;
      bool both = false, before = false;
      for (i = 0; i < ROWS; i++) both |= a.groups[i] == b.groups[j];
      for (i = 0; i < j; i++) before |= b.groups[i] == b.groups[j];
      groups += both && !before;
    }
    for (unsigned threads = 1; threads <= 3; threads++) {
      crd_context_set_threads(ctx, threads);
      const crd_overlap found = overlap_of(ctx, left, right);
      assert_int_equal(found.sample_count, twins);
      assert_int_equal(found.left, first_left);
      assert_int_equal(found.right, first_right);
      assert_int_equal(found.group_count, groups);
      assert_int_equal(found.group != NULL, groups > 0);
    }
    crd_context_set_threads(ctx, 0);
    assert_true(twins > 0 && groups > 0);
    crd_dataset_destroy(left);
    crd_dataset_destroy(right);
  }
}

/* One step of the hash of compare.c. */
static uint64_t step(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0xD6E8FEB86659FD93u;
  return hash ^ hash >> 32;
}

/* Different samples with the same hash: the second word makes up for the first. */
static void equal_hashes_are_not_enough(void **state) {
  crd_context *const ctx = *state;
  static uint64_t words[2][2] = { { 0x3F8000003F800000u, 0x4000000040000000u },
                                  { 0x4040000040400000u, 0 } };
  const uint64_t start = 0x9E3779B97F4A7C15u ^ sizeof words[0];
  crd_dataset *sides[2];
  words[1][1] = step(start, words[0][0]) ^ words[0][1] ^ step(start, words[1][0]);
  assert_true(step(step(start, words[0][0]), words[0][1]) ==
              step(step(start, words[1][0]), words[1][1]));
  for (size_t i = 0; i < 2; i++) {
    const crd_dataset_arrays arrays = { .size = sizeof arrays,
                                        .inputs = crd_array_matrix(words[i], CRD_F32, 1, 4) };
    assert_int_equal(crd_dataset_create(ctx, &arrays, &sides[i]), CRD_OK);
  }
  assert_int_equal(overlap_of(ctx, sides[0], sides[1]).sample_count, 0);
  assert_int_equal(overlap_of(ctx, sides[0], sides[0]).sample_count, 1);
  crd_dataset_destroy(sides[0]);
  crd_dataset_destroy(sides[1]);
}

/* Parts of one dataset have nothing in common, unless it repeats samples. */
static void parts_do_not_overlap(void **state) {
  crd_context *const ctx = *state;
  static const test_plan plan = { .count = 50, .channels = 3, .height = 4, .width = 4 };
  for (test_way way = TEST_BYTES; way < TEST_KINDS; way++) {
    crd_dataset *const all = test_dataset(ctx, way, &plan), *a, *b;
    assert_int_equal(crd_dataset_part(ctx, all, 0, 40, CRD_SPLIT_RANDOM, 1, &a), CRD_OK);
    assert_int_equal(crd_dataset_part(ctx, all, 40, 100, CRD_SPLIT_RANDOM, 1, &b), CRD_OK);
    assert_int_equal(overlap_of(ctx, a, b).sample_count, 0);
    assert_int_equal(overlap_of(ctx, a, all).sample_count, 20);
    assert_int_equal(overlap_of(ctx, all, a).sample_count, 20);
    crd_dataset_destroy(a);
    crd_dataset_destroy(b);
    crd_dataset_destroy(all);
  }
}

static void texts_are_compared_as_stored(void **state) {
  crd_context *const ctx = *state;
  static const char *const one[] = { "a", "b c", "" }, *const two[] = { "B c", "b c", "b c" };
  crd_dataset *const a = test_dataset(ctx, TEST_BYTES, &(test_plan){ .count = 3, .texts = one });
  crd_dataset *const b = test_dataset(ctx, TEST_BYTES, &(test_plan){ .count = 3, .texts = two });
  const crd_overlap found = overlap_of(ctx, a, b);
  assert_int_equal(found.sample_count, 2);
  assert_int_equal(found.left, 1);
  assert_int_equal(found.right, 1);
  crd_dataset_destroy(a);
  crd_dataset_destroy(b);
}

static void other_shapes_have_nothing_in_common(void **state) {
  crd_context *const ctx = *state;
  static samples s;
  crd_dataset *const vectors = made(ctx, &s, 1, false);
  crd_dataset *const images = test_dataset(
      ctx, TEST_BYTES, &(test_plan){ .count = 5, .channels = 1, .height = 1, .width = COLS });
  const crd_overlap found = overlap_of(ctx, vectors, images);
  assert_int_equal(found.sample_count, 0);
  assert_int_equal(found.group_count, 0);
  assert_null(found.group);
  crd_dataset_destroy(vectors);
  crd_dataset_destroy(images);
}

static void a_bad_sample_is_reported(void **state) {
  crd_context *const ctx = *state;
  crd_dataset *const all = test_dataset(
      ctx, TEST_DECODED, &(test_plan){ .count = 100, .channels = 1, .height = 2, .width = 2 });
  crd_overlap found;
  ((test_self *)all->store->self)->failing = 77;
  assert_int_equal(crd_dataset_compare(ctx, all, all, &found), CRD_EINPUT);
  assert_string_equal(crd_context_message(ctx), "sample 77 is corrupt");
  crd_dataset_destroy(all);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(overlaps_agree_with_plain_loops),
    cmocka_unit_test(equal_hashes_are_not_enough),
    cmocka_unit_test(parts_do_not_overlap),
    cmocka_unit_test(texts_are_compared_as_stored),
    cmocka_unit_test(other_shapes_have_nothing_in_common),
    cmocka_unit_test(a_bad_sample_is_reported),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

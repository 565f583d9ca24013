/* classes_test.c -- labels mapped to the classes of a network, by name and by number. */
#include "dataset/testing.h"

#include "dataset/classes.h"

enum { ROWS = 12 };

static crd_dataset *labelled(crd_context *ctx, const char *const *labels, size_t count) {
  return test_dataset(ctx, TEST_FLOATS,
                      &(test_plan){ ROWS, 1, 1, 2, .labels = labels, .label_count = count });
}

/* Labels repeat in this order, and must get these classes; `changed`: in a copy. */
static void check(crd_context *ctx, const char *const *labels, size_t count,
                  const crd_encoding *encoding, size_t classes, const int64_t *expected,
                  bool changed) {
  crd_dataset *const data = labelled(ctx, labels, count), *copy = data;
  if (crd__dataset_match_classes(ctx, data, encoding, classes, "m.onnx", &copy) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  assert_true(changed == (copy != NULL));
  const crd_dataset *const found = copy ? copy : data;
  assert_int_equal(crd_dataset_describe(found)->rows, ROWS);
  assert_int_equal(crd_dataset_describe(found)->classes, classes);
  for (size_t i = 0; i < ROWS; i++)
    assert_int_equal(crd_dataset_label(found, i), expected[i % count]);
  crd_dataset_destroy(copy);
  crd_dataset_destroy(data);
}

static char texts[][6] = { "west", "east", "north", "2", "1", "0" };
static char *names[] = { texts[0], texts[1], texts[2] };
static char *numbers[] = { texts[3], texts[4], texts[5] };
static const crd_encoding named = { .class_count = 3, .class_names = names };
static const crd_encoding numbered = { .class_count = 3, .class_names = numbers };

static void names_decide(void **state) {
  static const char *const cities[] = { "north", "west" }, *const integers[] = { "0", "2" };
  check(*state, cities, 2, &named, 3, (const int64_t[]){ 2, 0 }, true);
  check(*state, integers, 2, &numbered, 3, (const int64_t[]){ 2, 0 }, true);
}

/* Data without the label 1 keeps its label 2. */
static void integers_stand_for_themselves(void **state) {
  static const char *const gap[] = { "2", "0" }, *const padded[] = { "02", "0" };
  static const char *const all[] = { "2", "0", "1" };
  check(*state, gap, 2, NULL, 3, (const int64_t[]){ 2, 0 }, true);
  check(*state, gap, 2, &named, 3, (const int64_t[]){ 2, 0 }, true);
  check(*state, padded, 2, NULL, 3, (const int64_t[]){ 2, 0 }, true);
  check(*state, all, 3, NULL, 3, (const int64_t[]){ 2, 0, 1 }, false);
}

static void others_are_numbered_in_their_order(void **state) {
  static const char *const cities[] = { "north", "west", "east" };
  check(*state, cities, 3, NULL, 3, (const int64_t[]){ 1, 2, 0 }, false);
}

static void refuse(crd_context *ctx, const char *const *labels, size_t count,
                   const crd_encoding *encoding, const char *message) {
  crd_dataset *const data = labelled(ctx, labels, count), *copy = data;
  assert_int_equal(crd__dataset_match_classes(ctx, data, encoding, 3, "m.onnx", &copy), CRD_EINPUT);
  assert_null(copy);
  assert_string_equal(crd_context_message(ctx), message);
  crd_dataset_destroy(data);
}

static void labels_without_a_class(void **state) {
  static const char *const two[] = { "b", "a" }, *const four[] = { "0", "3", "1", "2" };
  static const char *const south[] = { "west", "south" };
  refuse(*state, two, 2, NULL, "test has 2 classes ('a', ...), m.onnx has 3 and no names for them");
  refuse(*state, four, 4, NULL,
         "test has 4 classes ('3', ...), m.onnx has 3 and no names for them");
  refuse(*state, south, 2, &named,
         "test: row 1 (folder/one.png) has the label 'south', which is none of the 3 classes: "
         "'west', 'east', 'north'; did you mean 'north'?");
}

static void data_without_labels(void **state) {
  crd_dataset *const data =
      test_dataset(*state, TEST_FLOATS, &(test_plan){ ROWS, 1, 1, 2, .labels = NULL });
  crd_dataset *copy = data;
  assert_int_equal(crd__dataset_match_classes(*state, data, &named, 3, "m.onnx", &copy), CRD_OK);
  assert_null(copy);
  crd_dataset_destroy(data);
}

static void memory_may_run_out(void **state) {
  static const char *const gap[] = { "2", "0" }, *const cities[] = { "north", "west" };
  (void)state;
  for (int by_name = 0; by_name < 2; by_name++)
    for (long at = 1;; at++) {
      const test_plan plan = { ROWS, 1, 1, 2, .labels = by_name ? cities : gap, .label_count = 2 };
      test_allocator counter = { .fail_at = at };
      const crd_allocator alloc = failing_allocator(&counter);
      crd_context *ctx;
      crd__dataset_store *store = NULL;
      crd_dataset *data = NULL, *copy = NULL;
      assert_int_equal(crd_context_create(&alloc, &ctx), CRD_OK);
      crd_status status = test_store(ctx, TEST_FLOATS, &plan, &store);
      if (status == CRD_OK) status = crd__dataset_of_store(ctx, store, "test", &data);
      if (status == CRD_OK)
        status = crd__dataset_match_classes(ctx, data, &named, 3, "m.onnx", &copy);
      const bool reached = counter.calls > at;
      if (status != CRD_OK) assert_true(reached && status == CRD_ENOMEM && !copy);
      crd_dataset_destroy(copy);
      crd_dataset_destroy(data);
      crd_context_destroy(ctx);
      assert_int_equal(counter.live, 0);
      if (!reached) break;
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(names_decide),
    cmocka_unit_test(integers_stand_for_themselves),
    cmocka_unit_test(others_are_numbered_in_their_order),
    cmocka_unit_test(labels_without_a_class),
    cmocka_unit_test(data_without_labels),
    cmocka_unit_test(memory_may_run_out),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

/* encoding_test.c -- copies of encodings: equal, independent, complete or not at all. */
#include "dataset/encoding.h"
#include "support.h"

static char cat[] = "cat", dog[] = "dog", the[] = "the", of[] = "of", empty[] = "";
static char *classes[] = { cat, dog }, *words[] = { the, of, empty };
static double mean[] = { 0.5 }, deviation[] = { 0.25 };
static const crd_encoding example = { .class_count = 2,
                                      .class_names = classes,
                                      .word_count = 3,
                                      .words = words,
                                      .length = 7,
                                      .channels = 1,
                                      .mean = mean,
                                      .std = deviation };

static void copies_are_equal(void **state) {
  crd_encoding *copy;
  assert_int_equal(crd__dataset_encoding_copy(*state, &example, &copy), CRD_OK);
  assert_int_equal(copy->class_count, 2);
  assert_int_equal(copy->word_count, 3);
  assert_int_equal(copy->length, 7);
  assert_int_equal(copy->channels, 1);
  for (size_t i = 0; i < 2; i++) {
    assert_string_equal(copy->class_names[i], classes[i]);
    assert_ptr_not_equal(copy->class_names[i], classes[i]);
  }
  for (size_t i = 0; i < 3; i++) assert_string_equal(copy->words[i], words[i]);
  assert_true(copy->mean[0] == 0.5 && copy->std[0] == 0.25);
  crd_encoding_destroy(copy);
  crd_encoding_destroy(NULL);
}

static void memory_may_run_out(void **state) {
  (void)state;
  for (long at = 1;; at++) {
    test_allocator counter = { .fail_at = at };
    const crd_allocator alloc = failing_allocator(&counter);
    crd_context *ctx;
    crd_encoding *copy;
    assert_int_equal(crd_context_create(&alloc, &ctx), CRD_OK);
    const crd_status status = crd__dataset_encoding_copy(ctx, &example, &copy);
    const bool reached = counter.calls > at;
    assert_int_equal(status, reached ? CRD_ENOMEM : CRD_OK);
    if (reached) assert_null(copy);
    crd_encoding_destroy(copy);
    crd_context_destroy(ctx);
    assert_int_equal(counter.live, 0);
    if (!reached) break;
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(copies_are_equal),
    cmocka_unit_test(memory_may_run_out),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

/* names_test.c -- names of classes and groups: found again, sorted, and many of them. */
#include "dataset/kind.h"
#include "support.h"

#include <stdio.h>
#include <string.h>

static void names_are_found_again(void **state) {
  crd_context *const ctx = *state;
  static const char *const given[] = { "dog", "cat", "dog", "", "cat" };
  static const int64_t expected[] = { 0, 1, 0, 2, 1, -1 };
  crd__dataset_names names = { 0 };
  for (size_t i = 0; i < 5; i++)
    assert_int_equal(crd__dataset_names_set(ctx, &ctx->alloc, &names, 6, i, given[i]), CRD_OK);
  assert_int_equal(names.count, 3);
  for (size_t i = 0; i < 6; i++) assert_int_equal(names.of[i], expected[i]);
  assert_int_equal(crd__dataset_names_find(&names, "cat"), 1);
  assert_int_equal(crd__dataset_names_find(&names, "mouse"), -1);
  crd__dataset_names_clear(&ctx->alloc, &names);
}

/* Numbers come first, by value; then text, by bytes. */
static void names_are_sorted(void **state) {
  crd_context *const ctx = *state;
  static const char *const given[] = { "b", "10", "9", "a", "-1", "1e0", "nan", "B", "1" };
  static const char *const sorted[] = { "-1", "1", "1e0", "9", "10", "B", "a", "b", "nan" };
  enum { COUNT = sizeof given / sizeof *given };
  crd__dataset_names names = { 0 };
  for (size_t i = 0; i < COUNT; i++)
    assert_int_equal(crd__dataset_names_set(ctx, &ctx->alloc, &names, COUNT, i, given[i]), CRD_OK);
  assert_int_equal(crd__dataset_names_sort(ctx, &ctx->alloc, &names, COUNT), CRD_OK);
  for (size_t i = 0; i < COUNT; i++) {
    assert_string_equal(names.names[i], sorted[i]);
    assert_string_equal(names.names[names.of[i]], given[i]);
    assert_int_equal(crd__dataset_names_find(&names, sorted[i]), i);
  }
  crd__dataset_names_clear(&ctx->alloc, &names);
}

static void many_names(void **state) {
  crd_context *const ctx = *state;
  enum { COUNT = 5000 };
  crd__dataset_names names = { 0 };
  for (size_t i = 0; i < COUNT; i++) {
    char name[32];
    snprintf(name, sizeof name, "patient %zu", i * 7919 % 1000);
    assert_int_equal(crd__dataset_names_set(ctx, &ctx->alloc, &names, COUNT, i, name), CRD_OK);
  }
  assert_int_equal(names.count, 1000);
  for (size_t i = 0; i < COUNT; i++) assert_int_equal(names.of[i], i % 1000);
  crd__dataset_names_clear(&ctx->alloc, &names);
}

static void memory_may_run_out(void **state) {
  (void)state;
  for (long at = 0;; at++) {
    test_allocator counter = { .fail_at = at };
    const crd_allocator alloc = failing_allocator(&counter);
    crd_context *const ctx = test_context();
    crd__dataset_names names = { 0 };
    crd_status status = CRD_OK;
    for (size_t i = 0; i < 40 && status == CRD_OK; i++) {
      char name[32];
      snprintf(name, sizeof name, "%zu", 40 - i);
      status = crd__dataset_names_set(ctx, &alloc, &names, 40, i, name);
    }
    if (status == CRD_OK) status = crd__dataset_names_sort(ctx, &alloc, &names, 40);
    const bool reached = counter.calls > at;
    if (reached) assert_int_equal(status, CRD_ENOMEM);
    crd__dataset_names_clear(&alloc, &names);
    assert_int_equal(counter.live, 0);
    crd_context_destroy(ctx);
    if (!reached) break;
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(names_are_found_again),
    cmocka_unit_test(names_are_sorted),
    cmocka_unit_test(many_names),
    cmocka_unit_test(memory_may_run_out),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

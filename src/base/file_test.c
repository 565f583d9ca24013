/* file_test.c -- outputs in memory: their bytes, without any file, and what is left when memory
 * ends; finishing by a status. Failing outputs to files: tests/fault/files_test.c. */
#include "base/file.h"
#include "support.h"

#include <string.h>
#include <unistd.h>

static void keeps_the_bytes_of_all_writes(void **state) {
  char expected[3000];
  size_t length = 0, written = 0;
  crd_output *output;
  assert_int_equal(crd_output_open_memory(*state, &output), CRD_OK);
  assert_non_null(crd_output_bytes(output, &length));
  assert_int_equal(length, 0);
  for (size_t i = 0; i < sizeof expected; i++) expected[i] = (char)(i * 7);
  for (size_t count = 0; written + count <= sizeof expected; written += count++) {
    assert_int_equal(crd_output_write(*state, output, expected + written, count), CRD_OK);
    const char *const bytes = crd_output_bytes(output, &length);
    assert_int_equal(length, written + count);
    assert_memory_equal(bytes, expected, length);
  }
  assert_int_equal(crd_output_commit(*state, output), CRD_OK);
}

static void a_failed_write_keeps_earlier_bytes(void **state) {
  test_allocator counts = { .fail_at = -1 };
  const crd_allocator alloc = failing_allocator(&counts);
  crd_context *ctx;
  crd_output *output;
  size_t length;
  (void)state;
  assert_int_equal(crd_context_create(&alloc, &ctx), CRD_OK);
  assert_int_equal(crd_output_open_memory(ctx, &output), CRD_OK);
  assert_int_equal(crd_output_write(ctx, output, "early", 5), CRD_OK);
  counts.fail_at = counts.calls;
  assert_int_equal(crd_output_write(ctx, output, "late bytes", 10), CRD_ENOMEM);
  assert_memory_equal(crd_output_bytes(output, &length), "early", 5);
  assert_int_equal(length, 5);
  crd_context_abandon(ctx); /* a signal handler may meet an output without a file */
  crd_output_discard(output);
  crd_context_destroy(ctx);
  assert_int_equal(counts.live, 0);
}

static void files_have_no_bytes_in_memory(void **state) {
  size_t length;
  crd_output *output;
  assert_int_equal(crd_output_open(*state, "-", &output), CRD_OK);
  assert_null(crd_output_bytes(output, &length));
  crd_output_discard(output);
}

static void finishing_follows_the_status(void **state) {
  crd_context *const ctx = *state;
  char path[256];
  crd_output *output = NULL;
  temporary_path(path, "finished");
  assert_int_equal(crd_output_open(ctx, path, &output), CRD_OK);
  assert_int_equal(crd_output_write(ctx, output, "one", 3), CRD_OK);
  const crd_status failed = crd_context_fail(ctx, CRD_EINPUT, "the reason");
  assert_int_equal(crd_output_finish(ctx, output, failed), CRD_EINPUT);
  assert_string_equal(crd_context_message(ctx), "the reason");
  assert_int_equal(access(path, F_OK), -1);
  assert_int_equal(crd_output_finish(ctx, NULL, CRD_EINPUT), CRD_EINPUT); /* never opened */
  assert_int_equal(crd_output_open(ctx, path, &output), CRD_OK);
  assert_int_equal(crd_output_write(ctx, output, "two", 3), CRD_OK);
  assert_int_equal(crd_output_finish(ctx, output, CRD_OK), CRD_OK);
  assert_int_equal(access(path, F_OK), 0);
  unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(keeps_the_bytes_of_all_writes),
    cmocka_unit_test(a_failed_write_keeps_earlier_bytes),
    cmocka_unit_test(files_have_no_bytes_in_memory),
    cmocka_unit_test(finishing_follows_the_status),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

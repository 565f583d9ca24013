/* report_test.c -- unknown output formats, output files, failing allocations. */
#include "report/sample_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void test_table(void **state) {
  (void)state;
  assert_true(crd_report_count() >= 5);
  assert_string_equal(crd_report_at(0)->name, "text");
  assert_null(crd_report_at(crd_report_count()));
  for (size_t i = 0; i < crd_report_count(); i++) {
    assert_true(strlen(crd_report_at(i)->summary) > 0);
  }
}

static void test_unknown(void **state) {
  (void)state;
  crd_context *ctx;
  assert_int_equal(crd_context_create(NULL, &ctx), CRD_OK);
  assert_int_equal(crd_report_write(ctx, &sample, "jsn", NULL, NULL), CRD_EUSAGE);
  assert_non_null(strstr(crd_context_message(ctx), "unknown form 'jsn', allowed are text, json, "));
  crd_context_destroy(ctx);
}

static void test_digits(void **state) {
  (void)state;
  const crd_report_options options = { .size = sizeof options, .digits = 10 };
  crd_context *ctx;
  assert_int_equal(crd_context_create(NULL, &ctx), CRD_OK);
  assert_int_equal(crd_report_write(ctx, &sample, "text", &options, NULL), CRD_EUSAGE);
  assert_string_equal(crd_context_message(ctx), "10 significant digits, allowed are 1 .. 9");
  crd_context_destroy(ctx);
}

static void test_file(void **state) {
  (void)state;
  char folder[] = "/tmp/crd_report_XXXXXX", path[64], bytes[4096] = "";
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/out", folder);
  crd_context *ctx;
  crd_output *output;
  assert_int_equal(crd_context_create(NULL, &ctx), CRD_OK);
  assert_int_equal(crd_output_open(ctx, path, &output), CRD_OK);
  assert_int_equal(crd_report_write(ctx, &sample, "csv", NULL, output), CRD_OK);
  assert_int_equal(crd_output_commit(ctx, output), CRD_OK);
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  const size_t count = fread(bytes, 1, sizeof bytes - 1, file);
  fclose(file);
  assert_true(count > 0 && strncmp(bytes, "metric,value,low,high,p,reason\n", 31) == 0);
  crd_context_destroy(ctx);
  unlink(path);
  rmdir(folder);
}

/* ---- Each allocation fails once: ENOMEM, no leak (the sanitizer looks), nothing written. */

typedef struct {
  size_t calls, failing;
} scarce;

static void *scarce_resize(void *self, void *memory, size_t bytes) {
  scarce *s = self;
  if (bytes == 0) {
    free(memory);
    return NULL;
  }
  return ++s->calls == s->failing ? NULL : realloc(memory, bytes);
}

static void test_no_memory(void **state) {
  (void)state;
  for (size_t form = 0; form < crd_report_count(); form++) {
    crd_status status = CRD_ENOMEM;
    for (size_t failing = 1; status != CRD_OK; failing++) {
      scarce s = { 0, 0 };
      crd_context *ctx;
      crd_output *output;
      assert_int_equal(crd_context_create(&(crd_allocator){ scarce_resize, &s }, &ctx), CRD_OK);
      assert_int_equal(crd_output_open(ctx, "/dev/null", &output), CRD_OK);
      s.failing = s.calls + failing;
      status = crd_report_write(ctx, &sample, crd_report_at(form)->name, NULL, output);
      assert_true(status == CRD_OK || status == CRD_ENOMEM);
      assert_true(failing > 1 || status == CRD_ENOMEM);
      s.failing = 0;
      crd_output_discard(output);
      crd_context_destroy(ctx);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(test_table), cmocka_unit_test(test_unknown),
                                      cmocka_unit_test(test_digits), cmocka_unit_test(test_file),
                                      cmocka_unit_test(test_no_memory) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

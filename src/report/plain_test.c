/* plain_test.c -- UTF-8 and ASCII text: lengths, columns, wrapping. */
#include "report/plain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static crd_context *ctx;

static void test_utf8(void **state) {
  (void)state;
  static const struct {
    const char *bytes;
    size_t length;
  } cases[] = {
    { "a", 1 },
    { "\xc3\xa4", 2 },
    { "\xe2\x96\x88", 3 },
    { "\xf0\x9f\x98\x80", 4 },
    { "\x80", 0 },
    { "\xc0\xaf", 0 },
    { "\xe0\x80\x80", 0 },
    { "\xed\xa0\x80", 0 },
    { "\xf4\x90\x80\x80", 0 },
    { "\xf5\x80\x80\x80", 0 },
    { "\xe2\x96", 0 },
    { "\xc3", 0 },
    { "\xf0\x9f\x98", 0 },
    { "\xe2\x96\x41", 0 },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    assert_int_equal(crd__utf8_length(cases[i].bytes), cases[i].length);
  }
}

static void expect_plain(const char *string, int ascii, const char *expected) {
  crd__text text;
  crd__text_init(&text, &ctx->alloc);
  crd__report_text_add_plain(&text, string, ascii);
  assert_string_equal(text.bytes, expected);
  crd__text_clear(&text);
}

static void test_plain(void **state) {
  (void)state;
  expect_plain("a\033[2Jb\nc\x7f", 0, "a?[2Jb?c?");
  expect_plain("\xc2\x9b"
               "31m",
               0, "?31m"); /* the one-character form of escape-bracket */
  expect_plain("\xc3\xa4\xff", 0, "\xc3\xa4?");
  expect_plain("\xc3\xa4"
               "b",
               1, "?b");
}

static void expect_wrapped(const char *string, crd__report_wrapping how, const char *expected) {
  crd__text text;
  crd__text_init(&text, &ctx->alloc);
  crd__report_text_add_wrapped(&text, string, &how);
  assert_string_equal(text.bytes, expected);
  crd__text_clear(&text);
}

static void expect_column(const char *string, int ascii, const char *expected) {
  crd__text text;
  crd__text_init(&text, &ctx->alloc);
  crd__report_text_add_column(&text, string, 4, ascii);
  assert_string_equal(text.bytes, expected);
  crd__text_clear(&text);
}

static void test_columns(void **state) {
  (void)state;
  expect_column("", 0, "    ");
  expect_column("ab", 0, "ab  ");
  expect_column("\xc3\xa4\xc3\xa4\xff\x1b", 0, "\xc3\xa4\xc3\xa4??");
  expect_column("abcd", 0, "abcd");
  expect_column("abcde", 0, "abc\xe2\x80\xa6");
  expect_column("a\xc3\xa4\xe2\x96\x88\xc3\xa4z", 1, "a??~");
}

static void test_wrapped(void **state) {
  (void)state;
  expect_wrapped("", (crd__report_wrapping){ 0, 0, 10, 0 }, "\n");
  expect_wrapped("aaaa bbbbb", (crd__report_wrapping){ 0, 0, 10, 0 }, "aaaa bbbbb\n");
  expect_wrapped("aaaa bbbbbb", (crd__report_wrapping){ 0, 2, 10, 0 }, "aaaa\n  bbbbbb\n");
  expect_wrapped("aaaa bbbbb", (crd__report_wrapping){ 1, 0, 10, 0 }, "aaaa\nbbbbb\n");
  expect_wrapped("a  b ", (crd__report_wrapping){ 0, 0, 10, 0 }, "a b\n");
  expect_wrapped("longer-than-a-line x", (crd__report_wrapping){ 0, 1, 10, 0 },
                 "longer-than-a-line\n x\n");
  expect_wrapped("\xc3\xa4\xc3\xa4\xc3\xa4 \xc3\xa4", (crd__report_wrapping){ 0, 0, 5, 0 },
                 "\xc3\xa4\xc3\xa4\xc3\xa4 \xc3\xa4\n");
}

int main(void) {
  if (crd_context_create(NULL, &ctx) != CRD_OK) return 1;
  const struct CMUnitTest tests[] = { cmocka_unit_test(test_utf8), cmocka_unit_test(test_plain),
                                      cmocka_unit_test(test_columns),
                                      cmocka_unit_test(test_wrapped) };
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  crd_context_destroy(ctx);
  return failed;
}

/* text_test.c -- growing texts, CSV fields, limits, nested error messages, notes. */
#include "base/memory.h"
#include "base/text.h"

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

static void grows(void **state) {
  crd_context *const ctx = *state;
  crd__text text;
  crd__text_init(&text, &ctx->alloc);
  for (int i = 0; i < 1000; i++) crd__text_addf(&text, "%d,", i);
  crd__text_add_number(&text, 0.1);
  crd__text_add_bytes(&text, "xyz", 2);
  assert_int_equal(crd__text_status(ctx, &text), CRD_OK);
  assert_int_equal(strlen(text.bytes), text.length);
  assert_string_equal(text.bytes + text.length - 9, "999,0.1xy");
  crd__text_clear(&text);
  assert_null(text.bytes);
}

/* Reads one field by RFC 4180, but drops blanks, tabs and carriage returns around an unquoted
 * field; returns the rest of the line. */
static const char *take_field(const char *at, char *out) {
  if (*at == '"') {
    for (at++; *at != '"' || at[1] == '"'; at++) {
      at += *at == '"';
      *out++ = *at;
    }
    *out = '\0';
    return at + 1;
  }
  size_t length = strcspn(at, ",\n");
  const char *const behind = at + length;
  for (; length && strchr(" \t\r", *at); length--) at++;
  for (; length && strchr(" \t\r", at[length - 1]);) length--;
  memcpy(out, at, length);
  out[length] = '\0';
  return behind;
}

/* Every byte at the beginning, at the end, in the middle, and alone. */
static void fields_come_back(void **state) {
  crd_context *const ctx = *state;
  for (int c = 1; c < 256; c++) {
    const char fields[][4] = { { (char)c },
                               { (char)c, 'x' },
                               { 'x', (char)c },
                               { 'x', (char)c, 'x' },
                               { (char)c, (char)c, (char)c },
                               { 'x', '"', (char)c } };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
      char found[16];
      crd__text text;
      crd__text_init(&text, &ctx->alloc);
      crd__text_add_field(&text, fields[i]);
      crd__text_add(&text, ",");
      assert_string_equal(take_field(text.bytes, found), ",");
      assert_string_equal(found, fields[i]);
      crd__text_clear(&text);
    }
  }
}

static void sizes_are_checked(void **state) {
  crd_context *const ctx = *state;
  size_t out = 7;
  assert_false(crd__size_mul(SIZE_MAX / 2, 3, &out));
  assert_false(crd__size_add(SIZE_MAX, 1, &out));
  assert_int_equal(out, 7);
  assert_true(crd__size_mul(SIZE_MAX, 0, &out) && out == 0);
  assert_null(crd__calloc(&ctx->alloc, SIZE_MAX / 2, 4));
  void *memory = &out;
  assert_int_equal(crd__new(ctx, SIZE_MAX, 8, "a test", &memory), CRD_ENOMEM);
  assert_null(memory);
  assert_non_null(strstr(crd_context_message(ctx), "a test"));
}

static void messages_nest(void **state) {
  crd_context *const ctx = *state;
  assert_int_equal(crd__fail(ctx, CRD_EINPUT, "row %d", 3), CRD_EINPUT);
  assert_int_equal(crd__fail_in(ctx, CRD_EINPUT, "file"), CRD_EINPUT);
  assert_string_equal(crd_context_message(ctx), "file: row 3");
  char longest[3000]; /* cut, not overrun */
  memset(longest, 'x', sizeof longest - 1);
  longest[sizeof longest - 1] = '\0';
  assert_int_equal(crd__fail(ctx, CRD_EINPUT, "%s", longest), CRD_EINPUT);
  assert_int_equal(crd__fail_in(ctx, CRD_EINPUT, longest), CRD_EINPUT);
  assert_true(strlen(crd_context_message(ctx)) < sizeof ctx->message);
}

static void notes_are_kept(void **state) {
  crd_context *const ctx = *state;
  crd__notes notes = { 0 };
  for (int i = 0; i < 20; i++)
    assert_int_equal(crd__notes_add(ctx, &ctx->alloc, &notes, "note %d", i), CRD_OK);
  assert_int_equal(notes.count, 20);
  assert_string_equal(notes.items[19], "note 19");
  crd__notes_clear(&ctx->alloc, &notes);
}

static int set_up(void **state) { return (int)crd_context_create(NULL, (crd_context **)state); }
static int tear_down(void **state) {
  crd_context_destroy(*state);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(grows),
    cmocka_unit_test(fields_come_back),
    cmocka_unit_test(sizes_are_checked),
    cmocka_unit_test(messages_nest),
    cmocka_unit_test(notes_are_kept),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}

/* context_test.c -- names of options in error messages, as C spells them and as a program does. */
#include "base/context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char *with_dashes(void *self, const char *name) {
  return strcmp(name, "label_key") == 0 ? self : name;
}

static void spells_names_as_the_program_does(void **state) {
  static char option[] = "--label-key";
  crd_context *ctx;
  (void)state;
  assert_int_equal(crd_context_create(NULL, &ctx), CRD_OK);
  assert_string_equal(crd__spell(ctx, "label_key"), "label_key");
  crd_context_set_spelling(ctx, with_dashes, option);
  assert_string_equal(crd__spell(ctx, "label_key"), option);
  assert_string_equal(crd__spell(ctx, "scores"), "scores");
  crd_context_set_spelling(ctx, NULL, NULL);
  assert_string_equal(crd__spell(ctx, "label_key"), "label_key");
  crd_context_destroy(ctx);
}

/* Callbacks of users may return any number. */
static void unknown_statuses_have_a_text(void **state) {
  static const int unknown[] = { -1, CRD_EINTERRUPTED + 1, 42, 100000000 };
  (void)state;
  for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
    assert_string_equal(crd_status_text((crd_status)unknown[i]), "an unknown status");
    assert_int_equal(crd_status_exit_code((crd_status)unknown[i]), 6);
  }
  assert_string_equal(crd_status_text(CRD_EINTERRUPTED), "interrupted");
  assert_int_equal(crd_status_exit_code(CRD_EINTERRUPTED), 130);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(spells_names_as_the_program_does),
    cmocka_unit_test(unknown_statuses_have_a_text),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* nearest_test.c -- suggestions for typing errors, and none for distant names. */
#include "credence/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const char *name(size_t index) {
  static const char *const names[] = { "accuracy", "ece", "aece", "auroc", "aurc", "e-aurc" };
  return index < 6 ? names[index] : NULL;
}

static void finds_the_slip(void **state) {
  (void)state;
  assert_string_equal(crd_nearest("acuracy", name), "accuracy");
  assert_string_equal(crd_nearest("ecee", name), "ece");
  assert_string_equal(crd_nearest("eec", name), "ece"); /* neighbours swapped */
  assert_string_equal(crd_nearest("aurok", name), "auroc");
}

static void knows_when_nothing_is_near(void **state) {
  (void)state;
  assert_null(crd_nearest("temperature", name));
  assert_null(crd_nearest("x", name));
  assert_null(crd_nearest("a-word-that-is-far-longer-than-any-name-could-reasonably-be", name));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(finds_the_slip),
    cmocka_unit_test(knows_when_nothing_is_near),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

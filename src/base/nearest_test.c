/* nearest_test.c -- names of tables, suggestions for typing errors, and none for distant names. */
#include "base/nearest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char *name(const void *self, size_t index) {
  (void)self;
  static const char *const names[] = { "accuracy", "ece", "aece", "auroc", "aurc", "e-aurc" };
  return index < 6 ? names[index] : NULL;
}

static void finds_the_slip(void **state) {
  (void)state;
  assert_string_equal(crd_nearest("acuracy", name, NULL), "accuracy");
  assert_string_equal(crd_nearest("ecee", name, NULL), "ece");
  assert_string_equal(crd_nearest("eec", name, NULL), "ece"); /* neighbours swapped */
  assert_string_equal(crd_nearest("aurok", name, NULL), "auroc");
  assert_string_equal(crd_nearest("ECE", name, NULL), "ece");
  assert_string_equal(crd_nearest("Acuracy", name, NULL), "accuracy");
  assert_string_equal(crd_nearest("EEC", name, NULL), "ece");
}

static void knows_when_nothing_is_near(void **state) {
  (void)state;
  assert_null(crd_nearest("temperature", name, NULL));
  assert_null(crd_nearest("x", name, NULL));
  assert_null(
      crd_nearest("a-word-that-is-far-longer-than-any-name-could-reasonably-be", name, NULL));
}

/* The i-th of the words that `self` points to. */
static const char *word(const void *self, size_t index) {
  return ((const char *const *)self)[index];
}

static void the_names_are_those_of_self(void **state) {
  static const char *const few[] = { "text", "json", NULL }, *const none[] = { NULL };
  (void)state;
  assert_string_equal(crd_nearest("jsn", word, few), "json");
  assert_null(crd_nearest("jsn", word, none));
}

static void a_table_finds_its_names(void **state) {
  const crd__names table = { .unknown = "no metric is called", .at = name };
  size_t index = 0;
  (void)state;
  assert_int_equal(crd__names_index(&table, "ece", 3), 1);
  assert_int_equal(crd__names_index(&table, "ece,auroc", 3), 1);
  assert_true(crd__names_index(&table, "ece", 2) == SIZE_MAX);
  assert_true(crd__names_index(&table, "eceece", 6) == SIZE_MAX);
  assert_true(crd__names_index(&table, "", 0) == SIZE_MAX);
  assert_int_equal(crd__names_find(NULL, &table, "auroc,", 5, &index), CRD_OK);
  assert_int_equal(index, 3);
}

static void messages_help(void **state) {
  static const char lister[] = "crd_metric_at";
  static const struct {
    const char *name, *lister, *message;
  } cases[] = {
    { "acuracy", lister, "no metric is called 'acuracy'; did you mean 'accuracy'?" },
    { "temperature", lister, "no metric is called 'temperature'; crd_metric_at lists them all" },
    { "acuracy", NULL,
      "no metric is called 'acuracy', allowed are accuracy, ece, aece, auroc, aurc, e-aurc" },
    { "a-name-that-is-far-longer-than-any-name-could-reasonably-be-in-any-table", lister,
      "no metric is called 'a-name-that-is-far-longer-than-any-name-could-reasonably-be-'; "
      "crd_metric_at lists them all" },
  };
  crd_context *ctx = NULL;
  (void)state;
  assert_int_equal(crd_context_create(NULL, &ctx), CRD_OK);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const crd__names table = { "no metric is called", cases[i].lister, name, NULL };
    size_t index;
    assert_int_equal(crd__names_find(ctx, &table, cases[i].name, strlen(cases[i].name), &index),
                     CRD_EUSAGE);
    assert_string_equal(crd_context_message(ctx), cases[i].message);
  }
  crd_context_destroy(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(finds_the_slip),
    cmocka_unit_test(knows_when_nothing_is_near),
    cmocka_unit_test(the_names_are_those_of_self),
    cmocka_unit_test(a_table_finds_its_names),
    cmocka_unit_test(messages_help),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

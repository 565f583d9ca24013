/* expression_test.c -- expressions of losses: meaning, error positions, limits, notes, locales. */
#include "loss/loss.h"
#include "support.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- What an expression means: terms and factors. */

typedef struct {
  const char *expression;
  size_t count;
  struct {
    const char *text;
    double factor;
  } terms[4];
} meaning;

static const meaning meanings[] = {
  { "ce", 1, { { "ce", 1 } } },
  { "  ce\t\n", 1, { { "ce", 1 } } },
  { "ce + 10*dca", 2, { { "ce", 1 }, { "dca", 10 } } },
  { "ce+10*dca", 2, { { "ce", 1 }, { "dca", 10 } } },
  { "10 * dca  +\tce", 2, { { "dca", 10 }, { "ce", 1 } } },
  { "focal(gamma=2)", 1, { { "focal(gamma=2)", 1 } } },
  { "focal()", 1, { { "focal()", 1 } } },
  { ".5*ce + 1e1*dca + 2.5E-1*focal(gamma=1,detach=yes)",
    3,
    { { "ce", .5 }, { "dca", 10 }, { "focal(gamma=1,detach=yes)", .25 } } },
  { "2*(ce + dca)", 2, { { "ce", 2 }, { "dca", 2 } } },
  { "2*(ce + 3*(dca + 0.5*ce)) + dca",
    4,
    { { "ce", 2 }, { "dca", 6 }, { "ce", 3 }, { "dca", 1 } } },
  { "((ce))", 1, { { "ce", 1 } } },
  { "( ce + dca )", 2, { { "ce", 1 }, { "dca", 1 } } },
  { "0*ce", 1, { { "ce", 0 } } },
  { "+2*ce + -0.5*dca", 2, { { "ce", 2 }, { "dca", -.5 } } },
};

static void expressions_have_meanings(void **state) {
  crd_context *const ctx = *state;
  for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++) {
    const meaning *const m = &meanings[i];
    crd__loss_part parts[CRD_LOSS_TERMS_MAX];
    size_t count = 0;
    if (crd__loss_parts_read(ctx, m->expression, parts, &count) != CRD_OK)
      fail_msg("%s: %s", m->expression, crd_context_message(ctx));
    assert_int_equal(count, m->count);
    for (size_t t = 0; t < count; t++) {
      assert_string_equal(parts[t].text, m->terms[t].text);
      if (parts[t].factor != m->terms[t].factor)
        fail_msg("%s: term %zu has the factor %g", m->expression, t, parts[t].factor);
    }
    crd__loss_parts_clear(&ctx->alloc, parts, count);
  }
}

/* ---- Invalid expressions, and the position named. */

static void expect_refusal(crd_context *ctx, const char *expression,
                           const crd_loss_options *options, const char *message) {
  crd_loss *loss = (crd_loss *)(void *)ctx; /* anything but NULL */
  assert_int_equal(crd_loss_create(ctx, expression, options, &loss), CRD_EUSAGE);
  assert_null(loss);
  if (strcmp(crd_context_message(ctx), message) != 0)
    fail_msg("%s:\n%s, expected\n%s", expression, crd_context_message(ctx), message);
}

static const char *const faults[][2] = {
  { "", "'': at character 1 found the end, expected the name of a loss" },
  { "  ", "'  ': at character 3 found the end, expected the name of a loss" },
  { "ce +", "'ce +': at character 5 found the end, expected the name of a loss" },
  { "ce dca", "'ce dca': at character 4 found 'dca', expected '+' or the end" },
  { "ce - dca", "'ce - dca': at character 4 found '- dca', expected '+' or the end" },
  { "ce)", "'ce)': at character 3 found ')', expected '+' or the end" },
  { "(ce", "'(ce': at character 4 found the end, expected '+' or ')'" },
  { "()", "'()': at character 2 found ')', expected the name of a loss" },
  { "ce + + dca", "'ce + + dca': at character 6 found '+ dca', expected a number" },
  { "2 ce", "'2 ce': at character 3 found 'ce', expected '*' after a number" },
  { "2*", "'2*': at character 3 found the end, expected the name of a loss" },
  { "2*3*ce", "'2*3*ce': at character 3: no loss is called '3'; crd_loss_at lists them all" },
  { "1.2.3*ce", "'1.2.3*ce': at character 1 found '1.2.3*ce', expected a number" },
  { "--1*ce", "'--1*ce': at character 1 found '--1*ce', expected a number" },
  { "1e999*ce", "'1e999*ce': at character 1 found '1e999*ce', expected a smaller number" },
  { "0,5*ce", "'0,5*ce': at character 2 found ',5*ce', expected '*' after a number" },
  { "CE", "'CE': at character 1 found 'CE', expected the name of a loss" },
  { "ce + *dca", "'ce + *dca': at character 6 found '*dca', expected the name of a loss" },
  { "focal(gamma=2", "'focal(gamma=2': at character 14 found the end, expected ')'" },
  { "focal(gamma=(2))", "'focal(gamma=(2))': at character 13 found '(2))', expected ')'" },
  { "ce + focl", "'ce + focl': at character 6: no loss is called 'focl'; did you mean 'focal'?" },
  { "xyzzyx", "'xyzzyx': at character 1: no loss is called 'xyzzyx'; crd_loss_at lists them "
              "all" },
  { "focal(gama=2)",
    "'focal(gama=2)': at character 7: focal has no setting 'gama'; it has gamma, detach" },
  { "focal(gamma)", "'focal(gamma)': at character 7: focal: 'gamma' needs a value: gamma=3" },
  { "focal(gamma=-1)",
    "'focal(gamma=-1)': at character 7: focal: gamma=-1, allowed are numbers from 0 to 1000" },
  { "focal(gamma=x)",
    "'focal(gamma=x)': at character 7: focal: gamma=x, allowed are numbers from 0 to 1000" },
  { "focal(gamma=1,2)",
    "'focal(gamma=1,2)': at character 15: focal has no setting '2'; it has gamma, detach" },
  { "focal(detach=maybe)",
    "'focal(detach=maybe)': at character 7: focal: detach=maybe, allowed are: no yes" },
  { "focal(,)", "'focal(,)': at character 7: focal has no setting ''; it has gamma, detach" },
  { "ce(gamma=2)", "'ce(gamma=2)': at character 4: ce has no setting 'gamma'; it has none" },
  { "-1*ce", "ce: its factor is below 0, which needs allow_negative" },
  { "ce + -1*(dca)", "dca: its factor is below 0, which needs allow_negative" },
};

static void faults_are_named_with_their_place(void **state) {
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
    expect_refusal(*state, faults[i][0], NULL, faults[i][1]);
}

/* Factors multiply; a product that overflows is invalid. */
static void factors_are_finite(void **state) {
  static const crd_loss_options negative = { .size = sizeof negative, .allow_negative = 1 };
  expect_refusal(*state, "1e200*(1e200*ce)", NULL,
                 "'1e200*(1e200*ce)': at character 8 found '1e200*ce)', expected a smaller number");
  expect_refusal(
      *state, "1e200*(-1e200*(0*ce))", &negative,
      "'1e200*(-1e200*(0*ce))': at character 8 found '-1e200*(0*ce))', expected a smaller number");
}

/* ---- Limits. */

/* `count` times the same text, then another. */
static char *repeat(const char *text, size_t count, const char *rest) {
  char *const all = calloc(strlen(text) * count + strlen(rest) + 1, 1);
  for (size_t i = 0; i < count; i++) strcat(all, text);
  return strcat(all, rest);
}

static void limits_are_kept(void **state) {
  crd_context *const ctx = *state;
  crd_loss *loss = NULL;
  char *const most = repeat("ce + ", CRD_LOSS_TERMS_MAX - 1, "ce");
  char *const more = repeat("ce + ", CRD_LOSS_TERMS_MAX, "ce");
  char *const deep = repeat("(", 33, "ce");
  char *const deeper = repeat("(", 100000, "ce");
  char message[512];
  assert_int_equal(crd_loss_create(ctx, most, NULL, &loss), CRD_OK);
  assert_int_equal(crd_loss_term_count(loss), CRD_LOSS_TERMS_MAX);
  assert_null(crd_loss_term(loss, CRD_LOSS_TERMS_MAX));
  assert_null(crd_loss_note(loss, 0));
  crd_loss_destroy(loss);
  snprintf(message, sizeof message, "'%s': more than 16 terms", more);
  expect_refusal(ctx, more, NULL, message);
  snprintf(message, sizeof message, "'%s': at character 33 found '(ce', expected fewer brackets",
           deep);
  expect_refusal(ctx, deep, NULL, message);
  assert_int_equal(crd_loss_create(ctx, deeper, NULL, &loss), CRD_EUSAGE);
  assert_non_null(strstr(crd_context_message(ctx), "at character 33 "));
  free(most);
  free(more);
  free(deep);
  free(deeper);
}

static void a_long_name_is_no_loss(void **state) {
  crd_loss *loss = NULL;
  char *const name = repeat("abcdefghij", 1000, "");
  assert_int_equal(crd_loss_create(*state, name, NULL, &loss), CRD_EUSAGE);
  assert_non_null(strstr(crd_context_message(*state), "at character 1: no loss is called 'abcdef"));
  free(name);
}

/* ---- Negative factors, allowed by the option. */

static void negative_factors_are_noted(void **state) {
  crd_context *const ctx = *state;
  static const crd_loss_options options = { .size = sizeof options, .allow_negative = 1 };
  crd_loss *loss = NULL;
  assert_int_equal(crd_loss_create(ctx, "ce + -0.5*dca + -2*focal(gamma=1)", &options, &loss),
                   CRD_OK);
  assert_string_equal(crd_loss_note(loss, 0),
                      "dca: its factor is below 0: this raises confidences");
  assert_string_equal(crd_loss_note(loss, 1),
                      "focal(gamma=1): its factor is below 0: this raises confidences");
  assert_null(crd_loss_note(loss, 2));
  crd_loss_destroy(loss);
  assert_int_equal(crd_loss_create(ctx, "0*ce + dca", &options, &loss), CRD_OK);
  assert_null(crd_loss_note(loss, 0));
  crd_loss_destroy(loss);
}

/* Every setting of every loss, slightly negative: fails, or is allowed by the option and noted. */
static void negative_settings_are_noted(void **state) {
  crd_context *const ctx = *state;
  for (size_t i = 0; i < crd_loss_count(); i++)
    for (size_t s = 0; s < crd_loss_at(i)->setting_count; s++) {
      const crd_setting_info *const setting = &crd_loss_at(i)->settings[s];
      char expression[128], note[256];
      crd_loss *loss = NULL;
      if (setting->words || setting->low >= 0) continue;
      snprintf(expression, sizeof expression, "%s(%s=-0.01)", crd_loss_at(i)->name, setting->name);
      snprintf(note, sizeof note, "%s: %s is below 0, which needs allow_negative", expression,
               setting->name);
      expect_refusal(ctx, expression, NULL, note);
      assert_int_equal(crd_loss_create(ctx, expression,
                                       &(crd_loss_options){ .size = sizeof(crd_loss_options),
                                                            .allow_negative = 1 },
                                       &loss),
                       CRD_OK);
      snprintf(note, sizeof note, "%s: %s is below 0: this raises confidences", expression,
               setting->name);
      assert_string_equal(crd_loss_note(loss, 0), note);
      crd_loss_destroy(loss);
    }
}

/* ---- The table. */

static void tables_are_complete(void **state) {
  (void)state;
  for (size_t i = 0; i < crd_loss_count(); i++) {
    const crd_loss_info *const info = crd_loss_at(i);
    assert_ptr_equal(crd_loss_find(info->name), info);
    assert_true(*info->summary && *info->meaning && *info->reference && info->grid);
    assert_true(strspn(info->name, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(info->name));
    for (size_t s = 0; s < info->setting_count; s++) assert_true(*info->settings[s].help != 0);
  }
  assert_null(crd_loss_at(crd_loss_count()));
  assert_null(crd_loss_find("xyzzy"));
  crd_loss_destroy(NULL);
}

/* A host program may have set a locale with a decimal comma. */
static void locales_change_nothing(void **state) {
  if (!comma_locale()) {
    cannot_test("locales_change_nothing", "no locale with a decimal comma can be made");
    skip();
  }
  expressions_have_meanings(state);
  faults_are_named_with_their_place(state);
  setlocale(LC_NUMERIC, "C");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(expressions_have_meanings),
    cmocka_unit_test(faults_are_named_with_their_place),
    cmocka_unit_test(factors_are_finite),
    cmocka_unit_test(limits_are_kept),
    cmocka_unit_test(a_long_name_is_no_loss),
    cmocka_unit_test(negative_factors_are_noted),
    cmocka_unit_test(negative_settings_are_noted),
    cmocka_unit_test(tables_are_complete),
    cmocka_unit_test(locales_change_nothing),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

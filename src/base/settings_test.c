/* settings_test.c -- settings parsed from text, error messages, and written back. */
#include "base/settings.h"
#include "support.h"

#include <string.h>

enum { NUMBER, WHOLE, WORD, BOTH, LIST, COUNT };
static const crd_setting_info items[] = {
  { .name = "number", .standard = "1.5", .low = -2, .high = 2 },
  { .name = "whole", .standard = "3", .low = 1, .high = 9, .whole = 1 },
  { .name = "word", .standard = "no", .words = "no yes" },
  { .name = "both", .standard = "auto", .words = "auto none", .low = 0, .high = 1 },
  { .name = "list", .standard = "equal", .words = "equal inverse", .list = 1 },
};
static const crd__setting_table table = { "thing", COUNT, items };

typedef struct {
  double values[COUNT], numbers[4];
  crd__setting_list list;
} settings;

static crd_status read(crd_context *ctx, const char *text, settings *s) {
  *s = (settings){ .list = { .most = 4 } };
  s->list.items = s->numbers;
  CRD_TRY(crd__settings_standard(ctx, &table, s->values, &s->list));
  return crd__settings_read(ctx, &table, text, s->values, &s->list);
}

static void values_are_read(void **state) {
  settings s;
  assert_int_equal(read(*state, NULL, &s), CRD_OK);
  assert_memory_equal(s.values, ((double[COUNT]){ 1.5, 3, 0, -1, 0 }), sizeof s.values);
  assert_int_equal(read(*state, "number=-2,whole=9,word=yes,both=none,list=inverse", &s), CRD_OK);
  assert_memory_equal(s.values, ((double[COUNT]){ -2, 9, 1, -2, 1 }), sizeof s.values);
  assert_int_equal(s.list.count, 0);
  assert_int_equal(read(*state, "both=0.25,both=1,", &s), CRD_OK); /* the last value wins */
  assert_true(s.values[BOTH] == 1);
}

/* A list extends to the next name; the setting's value is then the number of its elements. */
static void lists_are_read(void **state) {
  settings s;
  assert_int_equal(read(*state, "whole=2,list=0.2,1.5,1e-3,word=yes", &s), CRD_OK);
  assert_memory_equal(s.values, ((double[COUNT]){ 1.5, 2, 1, -1, 2 }), sizeof s.values);
  assert_int_equal(s.list.count, 3);
  assert_memory_equal(s.numbers, ((double[]){ .2, 1.5, 1e-3 }), 3 * sizeof(double));
  assert_int_equal(read(*state, "list=7", &s), CRD_OK);
  assert_true(s.list.count == 1 && s.numbers[0] == 7 && s.values[LIST] == 2);
  assert_int_equal(read(*state, "list=1,2,list=8", &s), CRD_OK); /* the last value wins */
  assert_true(s.list.count == 1 && s.numbers[0] == 8);
  assert_int_equal(read(*state, "list=1,2,list=inverse", &s), CRD_OK);
  assert_true(s.list.count == 0 && s.values[LIST] == 1);
}

static const char *const faults[][2] = {
  { "number=3", "thing: number=3, allowed are numbers from -2 to 2" },
  { "number=nan", "thing: number=nan, allowed are numbers from -2 to 2" },
  { "number=", "thing: number=, allowed are numbers from -2 to 2" },
  { "number", "thing: 'number' needs a value: number=1.5" },
  { "whole=1.5", "thing: whole=1.5, allowed are integers from 1 to 9" },
  { "word=ye", "thing: word=ye, allowed are: no yes" },
  { "word=1", "thing: word=1, allowed are: no yes" },
  { "both=2", "thing: both=2, allowed are numbers from 0 to 1, and: auto none" },
  { "list=even", "thing: list=even, allowed are: equal inverse" },
  { "list=1,2,x", "thing has no setting 'x'; it has number, whole, word, both, list" },
  { "list=1,2,3,4,5", "thing has no setting '5'; it has number, whole, word, both, list" },
  { "list=equal,2", "thing has no setting '2'; it has number, whole, word, both, list" },
  { "whole=2,3", "thing has no setting '3'; it has number, whole, word, both, list" },
  { "numbe=1", "thing has no setting 'numbe'; it has number, whole, word, both, list" },
};

static void faults_are_named(void **state) {
  crd_context *const ctx = *state;
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
    settings s;
    assert_int_equal(read(ctx, faults[i][0], &s), CRD_EUSAGE);
    if (strcmp(crd_context_message(ctx), faults[i][1]) != 0)
      fail_msg("%s: %s, expected %s", faults[i][0], crd_context_message(ctx), faults[i][1]);
  }
}

static void values_are_written_as_they_are_given(void **state) {
  static const struct {
    size_t item;
    double value;
    const char *text;
  } cases[] = {
    { NUMBER, -0.5, "-0.5" }, { WHOLE, 9, "9" },      { WORD, 1, "yes" },   { BOTH, -1, "auto" },
    { BOTH, -2, "none" },     { BOTH, 0.25, "0.25" }, { LIST, 0, "equal" }, { LIST, 1, "inverse" },
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[32];
    crd__setting_text(&items[cases[i].item], cases[i].value, text, sizeof text);
    assert_string_equal(text, cases[i].text);
  }
}

/* ---- A setting that is a list of numbers. */

static const crd_setting_info sizes[] = {
  { .name = "sizes", .standard = "128,64", .low = 1, .high = 200, .whole = 1, .list = 1 },
  { .name = "rate", .standard = "0.5", .low = 0, .high = 1 },
};
static const crd__setting_table sized = { "thing", 2, sizes };

static crd_status read_sizes(crd_context *ctx, const char *text, settings *s) {
  *s = (settings){ .list = { .most = 4 } };
  s->list.items = s->numbers;
  CRD_TRY(crd__settings_standard(ctx, &sized, s->values, &s->list));
  return crd__settings_read(ctx, &sized, text, s->values, &s->list);
}

static void lists_have_defaults(void **state) {
  settings s;
  assert_int_equal(read_sizes(*state, "rate=1", &s), CRD_OK);
  assert_true(s.list.count == 2 && s.numbers[0] == 128 && s.numbers[1] == 64 && s.values[1] == 1);
  assert_int_equal(read_sizes(*state, "sizes=7,8,9,rate=0.25", &s), CRD_OK);
  assert_true(s.list.count == 3 && s.numbers[2] == 9 && s.values[1] == .25);
}

static void numbers_of_lists_are_in_range(void **state) {
  static const char *const wrong[][2] = {
    { "sizes=0", "thing: sizes=0, allowed are integers from 1 to 200" },
    { "sizes=5,201", "thing: sizes=201, allowed are integers from 1 to 200" },
    { "sizes=5,1.5", "thing: sizes=1.5, allowed are integers from 1 to 200" },
    { "sizes=x", "thing: sizes=x, allowed are integers from 1 to 200" },
    { "sizes=5,x", "thing has no setting 'x'; it has sizes, rate" },
    { "sizes=", "thing: sizes=, allowed are integers from 1 to 200" },
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    settings s;
    assert_int_equal(read_sizes(*state, wrong[i][0], &s), CRD_EUSAGE);
    assert_string_equal(crd_context_message(*state), wrong[i][1]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(values_are_read),     cmocka_unit_test(lists_are_read),
    cmocka_unit_test(faults_are_named),    cmocka_unit_test(values_are_written_as_they_are_given),
    cmocka_unit_test(lists_have_defaults), cmocka_unit_test(numbers_of_lists_are_in_range),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

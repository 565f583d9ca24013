/* choice_test.c -- entries with settings, and where an expression is invalid. */
#include "base/choice.h"
#include "support.h"

#include <string.h>

static const crd_setting_info settings[] = {
  { .name = "depth", .standard = "16", .low = 1, .high = 99, .whole = 1 },
  { .name = "sizes", .standard = "128,64", .low = 1, .high = 999, .whole = 1, .list = 1 },
};

static const char *name_at(const void *self, size_t index) {
  static const char *const all[] = { "plain", "text-cnn" };
  (void)self;
  return index < 2 ? all[index] : NULL;
}

static crd__setting_table settings_of(const void *self, size_t index) {
  (void)self;
  return (crd__setting_table){ name_at(NULL, index), index == 1 ? 2 : 0, settings };
}

static const crd__names names = { .unknown = "no network is called",
                                  .lister = "crd_architecture_at",
                                  .at = name_at };
static const crd__choices table = { .names = &names,
                                    .entry = "the name of a network",
                                    .settings = settings_of };

static void choices_are_read(void **state) {
  crd_context *const ctx = *state;
  const char *const two = " text-cnn(sizes=3,4,5,depth=7) + plain";
  const char *at = two;
  crd__choice c;
  assert_int_equal(crd__choice_read(ctx, &table, two, &at, &c), CRD_OK);
  assert_string_equal(at, " + plain");
  assert_true(c.index == 1 && c.values[0] == 7 && c.list_count == 3 && c.list[2] == 5);
  crd__choice_clear(&ctx->alloc, &c);
  assert_int_equal(crd__choice_read_one(ctx, &table, " text-cnn\n", &c), CRD_OK);
  assert_true(c.index == 1 && c.values[0] == 16 && c.list_count == 2 && c.list[1] == 64);
  crd__choice_clear(&ctx->alloc, &c);
  assert_int_equal(crd__choice_read_one(ctx, &table, "plain()", &c), CRD_OK);
  assert_true(c.index == 0 && c.list_count == 0);
  crd__choice_clear(&ctx->alloc, &c);
}

static const char *const faults[][2] = {
  { "", "'': at character 1 found the end, expected the name of a network" },
  { "text-cn", "'text-cn': at character 1: no network is called 'text-cn'; did you mean "
               "'text-cnn'?" },
  { "plain x", "'plain x': at character 7 found 'x', expected the end" },
  { "text-cnn(depth=2", "'text-cnn(depth=2': at character 17 found the end, expected ')'" },
  { "text-cnn(depth=0)", "'text-cnn(depth=0)': at character 10: text-cnn: depth=0, allowed are "
                         "integers from 1 to 99" },
  { "text-cnn(sizes=1,0)", "'text-cnn(sizes=1,0)': at character 18: text-cnn: sizes=0, allowed are "
                           "integers from 1 to 999" },
  { "plain(depth=1)", "'plain(depth=1)': at character 7: plain has no setting 'depth'; it has "
                      "none" },
};

static void faults_are_named_with_their_place(void **state) {
  crd_context *const ctx = *state;
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
    crd__choice c;
    assert_int_equal(crd__choice_read_one(ctx, &table, faults[i][0], &c), CRD_EUSAGE);
    assert_string_equal(crd_context_message(ctx), faults[i][1]);
    crd__choice_clear(&ctx->alloc, &c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(choices_are_read),
    cmocka_unit_test(faults_are_named_with_their_place),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

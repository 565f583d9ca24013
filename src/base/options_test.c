/* options_test.c -- options of this version, of an older and of a newer one, and without a size. */
#include "base/options.h"
#include "support.h"

#include <stdio.h>
#include <string.h>

/* Three versions of one struct. */
typedef struct {
  size_t size;
  const char *name;
} older_options;

typedef struct {
  size_t size;
  const char *name;
  double floor;
  int bins, paired;
} these_options;

typedef struct {
  size_t size;
  const char *name;
  double floor;
  int bins, paired;
  const char *added;
  int added_too, reserved;
} newer_options;

static crd_status read_these(crd_context *ctx, const void *given, these_options *out) {
  memset(out, 0xa5, sizeof *out);
  return crd__options_read(ctx, given, out, sizeof *out, "these_options");
}

static void null_means_defaults(void **state) {
  these_options found;
  assert_int_equal(read_these(*state, NULL, &found), CRD_OK);
  assert_int_equal(found.size, sizeof found);
  assert_true(!found.name && found.floor == 0 && found.bins == 0 && found.paired == 0);
}

static void options_are_copied(void **state) {
  const these_options given = {
    .size = sizeof given, .name = "ece", .floor = 0.5, .bins = 3, .paired = 1
  };
  these_options found;
  assert_int_equal(CRD_READ_OPTIONS((crd_context *)*state, these_options, &given, &found), CRD_OK);
  assert_memory_equal(&found, &given, sizeof given);
}

static void older_options_end_in_zeros(void **state) {
  const older_options given = { .size = sizeof given, .name = "ece" };
  these_options found;
  assert_int_equal(read_these(*state, &given, &found), CRD_OK);
  assert_int_equal(found.size, sizeof found);
  assert_ptr_equal(found.name, given.name);
  assert_true(found.floor == 0 && found.bins == 0 && found.paired == 0);
  const size_t size = sizeof size; /* a struct that had nothing but its size */
  assert_int_equal(read_these(*state, &size, &found), CRD_OK);
  assert_true(found.size == sizeof found && !found.name && found.paired == 0);
}

static void newer_options_must_not_ask_for_more(void **state) {
  newer_options given = { .size = sizeof given, .name = "ece", .paired = 1 };
  these_options found;
  assert_int_equal(read_these(*state, &given, &found), CRD_OK);
  assert_true(found.size == sizeof found && found.name == given.name && found.paired == 1);
  unsigned char *const bytes = (unsigned char *)&given;
  for (size_t i = sizeof found; i < sizeof given; i++) {
    char words[256];
    bytes[i] = 1;
    assert_int_equal(read_these(*state, &given, &found), CRD_EUSAGE);
    snprintf(words, sizeof words,
             "options of a newer version of the library than %s: these_options.size is %zu, at "
             "most %zu bytes are known, and byte %zu is not 0",
             crd_version(), sizeof given, sizeof found, i);
    assert_string_equal(crd_context_message(*state), words);
    assert_true(found.size == 0 && !found.name && found.paired == 0);
    bytes[i] = 0;
  }
}

static void an_invalid_size_is_named(void **state) {
  static const size_t sizes[] = { 0, 1, sizeof(size_t) - 1, CRD__OPTIONS_MAX + 1, SIZE_MAX };
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    const these_options given = { .size = sizes[i], .name = "ece" };
    these_options found;
    char words[256];
    assert_int_equal(read_these(*state, &given, &found), CRD_EUSAGE);
    snprintf(words, sizeof words, "these_options.size is %zu: set it to sizeof(these_options)",
             sizes[i]);
    assert_string_equal(crd_context_message(*state), words);
    assert_true(found.size == 0 && !found.name);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(null_means_defaults),
    cmocka_unit_test(options_are_copied),
    cmocka_unit_test(older_options_end_in_zeros),
    cmocka_unit_test(newer_options_must_not_ask_for_more),
    cmocka_unit_test(an_invalid_size_is_named),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

/* number_test.c -- parsing compared with the C library, shortest output that round-trips,
 * locales. */
#include "base/number.h"
#include "base/random.h"
#include "support.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double parse(const char *text) {
  double value = -12345;
  if (!crd__number_parse(text, strlen(text), &value)) fail_msg("'%s' was refused", text);
  return value;
}

static void reads_like_the_c_library(void **state) {
  (void)state;
  static const char *const texts[] = {
    "0",
    "-0",
    "1",
    "+1",
    "-1.5",
    ".5",
    "5.",
    "1e5",
    "1E-5",
    "1e+5",
    "123456789012345678901234567890",
    "9007199254740993",
    "9007199254740992.999",
    "0.1",
    "1e23",
    "1e22",
    "1e-400",
    "1e400",
    "4.9e-324",
    "2.2250738585072011e-308",
    "1.7976931348623157e308",
    "1.7976931348623159e308",
    "1e-22",
    "1e-23",
    "0.000000000000000000000000000000000000000000001",
    "179769313486231580793e289",
    "1e0000000001",
    "3.14159265358979323846264338327950288419716939937510582097494459",
    "00000000000000000000001",
    "1e99999999999999999999",
    "0e99999999999999999999",
    "1e-99999999999999999999",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    const double expected = strtod(texts[i], NULL), value = parse(texts[i]);
    if (memcmp(&value, &expected, sizeof value) != 0)
      fail_msg("'%s' reads as %.17g, not %.17g", texts[i], value, expected);
  }
}

/* Halfway between two doubles, decided by the 1000th digit only. */
static void long_digits_decide(void **state) {
  (void)state;
  char text[1200] = "9007199254740993.";
  for (size_t i = 17; i < 1100; i++) text[i] = '0';
  assert_true(parse(text) == 9007199254740992.0);
  text[1099] = '1';
  assert_true(parse(text) == 9007199254740994.0);
}

static void words_are_numbers_too(void **state) {
  (void)state;
  assert_true(isnan(parse("nan")) && isnan(parse("-NaN")));
  assert_true(isinf(parse("inf")) && parse("-Infinity") < 0);
}

static void refuses_the_rest(void **state) {
  (void)state;
  static const char *const texts[] = { "",    "-",       ".",      "e5",   "1e",  "1e+",
                                       "1x",  " 1",      "1 ",     "0x10", "1,5", "1.2.3",
                                       "--1", "infinit", "nan(1)", "1e5.0" };
  double value;
  int64_t whole;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (crd__number_parse(texts[i], strlen(texts[i]), &value)) fail_msg("'%s' was read", texts[i]);
  assert_false(crd__integer_parse("9223372036854775808", 19, &whole));
  assert_false(crd__integer_parse("1.0", 3, &whole));
  assert_true(crd__integer_parse("-9223372036854775808", 20, &whole) && whole == INT64_MIN);
}

static void prints_the_shortest_that_reads_back(void **state) {
  (void)state;
  static const struct {
    double value;
    const char *text;
  } cases[] = { { 0.1, "0.1" },
                { 1, "1" },
                { 1e-300, "1e-300" },
                { 0.3, "0.3" },
                { 1.0 / 3, "0.3333333333333333" },
                { -2.5, "-2.5" },
                { 0, "0" },
                { 5e-324, "4.94065645841247e-324" } };
  char text[CRD__NUMBER_SIZE];
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_string_equal(crd__number_format(text, cases[i].value), cases[i].text);
  assert_string_equal(crd__number_format(text, (double)NAN), "nan");
  assert_string_equal(crd__number_format(text, -(double)INFINITY), "-inf");
  for (uint64_t i = 0; i < 100000; i++) { /* random bit patterns, NaN and infinities skipped */
    const uint64_t bits = crd__random_bits(7, 0, i);
    double value;
    memcpy(&value, &bits, sizeof value);
    if (isfinite(value) && parse(crd__number_format(text, value)) != value)
      fail_msg("%.17g does not come back from %s", value, text);
  }
}

static void float32_come_back(void **state) {
  char text[CRD__NUMBER_SIZE];
  (void)state;
  assert_string_equal(crd__number_format_float32(text, 0.1F), "0.1");
  assert_string_equal(crd__number_format_float32(text, 16777216.0F), "16777216");
  assert_string_equal(crd__number_format_float32(text, 1.0F / 3), "0.33333334");
  assert_string_equal(crd__number_format_float32(text, 1e-45F), "1.4013e-45");
  assert_string_equal(crd__number_format_float32(text, -INFINITY), "-inf");
  for (uint64_t i = 0; i < 100000; i++) {
    const uint32_t bits = (uint32_t)crd__random_bits(8, 0, i);
    float value;
    memcpy(&value, &bits, sizeof value);
    if (isfinite(value) && (float)parse(crd__number_format_float32(text, value)) != value)
      fail_msg("%.9g does not come back from %s", (double)value, text);
  }
}

/* A host program may have set a locale with a decimal comma. */
static void locales_change_nothing(void **state) {
  (void)state;
  if (!comma_locale()) {
    cannot_test("locales_change_nothing", "no locale with a decimal comma can be made");
    skip();
  }
  assert_string_equal(localeconv()->decimal_point, ",");
  char text[CRD__NUMBER_SIZE];
  assert_string_equal(crd__number_format(text, 0.5), "0.5");
  assert_string_equal(crd__number_brief(text, 1.0 / 3, 2), "0.33");
  assert_true(parse("3.14159265358979323846264338327950288") == 3.141592653589793);
  setlocale(LC_NUMERIC, "C");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(reads_like_the_c_library),
    cmocka_unit_test(long_digits_decide),
    cmocka_unit_test(words_are_numbers_too),
    cmocka_unit_test(refuses_the_rest),
    cmocka_unit_test(prints_the_shortest_that_reads_back),
    cmocka_unit_test(float32_come_back),
    cmocka_unit_test(locales_change_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

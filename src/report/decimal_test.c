/* decimal_test.c -- numbers as text, in fixed and scientific notation. */
#include "report/decimal.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_fixed(void **state) {
  (void)state;
  static const struct {
    double value;
    unsigned decimals;
    const char *text;
  } cases[] = {
    { 0, 3, "0.000" },
    { -0.0, 3, "0.000" },
    { 1, 0, "1" },
    { 0.5, 0, "0" },
    { 1.5, 0, "2" },
    { 0.0005, 3, "0.000" },
    { 0.0015, 3, "0.002" },
    { 0.9996, 3, "1.000" },
    { -0.0001, 3, "0.000" },
    { -0.25, 2, "-0.25" },
    { 12.5, 3, "12.500" },
    { 999999, 2, "999999.00" },
    { 1e6, 2, "1.000e+06" },
    { -9.9999e9, 2, "-1.000e+10" },
    { 1e300, 9, "1.000e+300" },
    { (double)NAN, 3, "-" },
    { (double)INFINITY, 3, "inf" },
    { -(double)INFINITY, 3, "-inf" },
    { 0.123456789, 9, "0.123456789" },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[CRD__NUMBER_SIZE];
    assert_string_equal(crd__report_decimal_format(text, cases[i].value, cases[i].decimals),
                        cases[i].text);
  }
}

static void test_value(void **state) {
  (void)state;
  static const struct {
    double value;
    const char *text;
  } cases[] = {
    { 0, "0.000000" },          { 1, "1.000000" },          { 0.0318734, "0.031873" },
    { 0.0001, "0.000100" },     { 0.0000999, "9.990e-05" }, { -1.25e-7, "-1.250e-07" },
    { 9.9996e-7, "1.000e-06" }, { 5e-324, "4.941e-324" },   { (double)NAN, "-" },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[CRD__NUMBER_SIZE];
    assert_string_equal(crd__report_value_format(text, cases[i].value), cases[i].text);
  }
}

/* Decimals are those of the second number, so that the ends of an interval fit their value. */
static void test_significant(void **state) {
  (void)state;
  static const struct {
    double value, like;
    unsigned digits;
    const char *text;
  } cases[] = {
    { 0.0537164, 0.0537164, 4, "0.05372" },
    { 0.95, 0.95, 4, "0.9500" },
    { 0.99996, 0.99996, 4, "1.000" },
    { 0.099996, 0.099996, 3, "0.100" },
    { 1, 1, 4, "1.000" },
    { 12345.6, 12345.6, 3, "12346" },
    { 95.32, 95.32, 3, "95.3" },
    { 0, 0, 4, "0.000" },
    { 0.04875, 0.9, 2, "0.05" },
    { 1.5e-7, 1.5e-7, 2, "1.5e-07" },
    { -0.25, -0.25, 1, "-0.2" },
    { 5e-5, 0.1, 9, "5.00000000e-05" },
    { 0.00012, 0.00012, 9, "0.000120000" },
    { (double)NAN, 1, 4, "-" },
    { (double)INFINITY, (double)INFINITY, 4, "inf" },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[CRD__NUMBER_SIZE];
    assert_string_equal(
        crd__report_significant_format(text, cases[i].value, cases[i].like, cases[i].digits),
        cases[i].text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(test_fixed), cmocka_unit_test(test_value),
                                      cmocka_unit_test(test_significant) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

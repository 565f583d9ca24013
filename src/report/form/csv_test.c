/* csv_test.c -- a result as CSV, byte for byte. */
#include "report/sample_test.h"

static void test_bytes(void **state) {
  (void)state;
  sample_expect(&crd__report_form_csv, &sample,
                (crd_report_options){ .size = sizeof(crd_report_options) },
                "metric,value,low,high,p,reason\n"
                "accuracy,0.75,,,,\n"
                "ece,0.1,,,,\n"
                "a_b,-1.25e-07,,,,\n"
                "auroc,,,,,\"all rows are \"\"right\"\", so there is nothing to tell apart\"\n");
}

static void test_intervals(void **state) {
  (void)state;
  sample_expect(&crd__report_form_csv, &sample_with_intervals,
                (crd_report_options){ .size = sizeof(crd_report_options) },
                "metric,value,low,high,p,reason\n"
                "accuracy,0.75,0.5,1,,\n"
                "ece,0.1,0,0.25,3.125e-05,\n"
                "auroc,,,,,\"all rows are \"\"right\"\", so there is nothing to tell apart\"\n");
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(test_bytes),
                                      cmocka_unit_test(test_intervals) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

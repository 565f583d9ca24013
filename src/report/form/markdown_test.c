/* markdown_test.c -- a result as Markdown, byte for byte. */
#include "report/sample_test.h"

static void test_bytes(void **state) {
  (void)state;
  sample_expect(
      &crd__report_form_markdown, &sample,
      (crd_report_options){ .size = sizeof(crd_report_options) },
      "| metric | value | better | |\n"
      "|:--|--:|:--|:--|\n"
      "| accuracy | 0.7500 | higher | share of rows that are right |\n"
      "| ece | 0.1000 | lower | expected calibration error: the mean distance between "
      "confidence and accuracy |\n"
      "| a\\_b | -1.250e-07 |  | a 100 % made-up \\| number |\n"
      "| auroc | - | higher | all rows are \"right\", so there is nothing to tell apart |\n"
      "\n"
      "- the scores look like \xc3\xa4 logits?\n");
}

static void test_intervals(void **state) {
  (void)state;
  sample_expect(
      &crd__report_form_markdown, &sample_with_intervals,
      (crd_report_options){ .size = sizeof(crd_report_options) },
      "| metric | value | 95 % interval | p | better | |\n"
      "|:--|--:|:--|--:|:--|:--|\n"
      "| accuracy | 0.7500 | 0.5000 … 1.0000 | - | higher | share of rows that are right "
      "|\n"
      "| ece | 0.1000 | 0.0000 … 0.2500 | 3.125e-05 | lower | expected calibration error: "
      "the "
      "mean distance between confidence and accuracy |\n"
      "| auroc | - | - … - | - | higher | all rows are \"right\", so there is nothing to tell "
      "apart |\n");
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(test_bytes),
                                      cmocka_unit_test(test_intervals) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* text_test.c -- a result as text: ASCII, reliability diagram, heading. */
#include "report/sample_test.h"

#include "report/plain.h"

#include <string.h>

static const char drawn[] =
    "dir/a_b.csv\n"
    "4 rows, 3 classes, logits, 4 bins\n"
    "\n"
    "  metric         value  better\n"
    "  accuracy      0.7500  higher  share of rows that are right\n"
    "  ece           0.1000  lower   expected calibration error\n"
    "  a_b       -1.250e-07          a 100 % made-up | number\n"
    "  auroc              -  higher  all rows are \"right\", so there is nothing to\n"
    "                                tell apart\n"
    "\n"
    "  bin           rows  confidence  accuracy     gap  0                          1\n"
    "  (0.00, 0.25]     0\n"
    "  (0.25, 0.50]     1       0.500     0.000  +0.500  ░░░░░░░░░░░░░░│\n"
    "  (0.50, 0.75]     2       0.625     1.000  -0.375  █████████████████│██████████\n"
    "  (0.75, 1.00]     1       1.000     1.000  +0.000  ███████████████████████████│\n"
    "\n"
    "  █ accuracy   │ mean confidence   gap = confidence - accuracy:\n"
    "  positive where the model is overconfident, negative where underconfident.\n"
    "\n"
    "  note: the scores look like ä logits?\n";

static void test_bytes(void **state) {
  (void)state;
  sample_expect(&crd__report_form_text, &sample,
                (crd_report_options){ .size = sizeof(crd_report_options) }, drawn);
}

/* The longest line, in characters; and whether each is printable. */
static size_t widest(const char *text, bool ascii) {
  size_t column = 0, most = 0;
  while (*text) {
    const size_t length = crd__utf8_length(text);
    assert_true(length == 1 || (length > 1 && !ascii));
    column = *text == '\n' ? 0 : column + 1;
    if (column > most) most = column;
    text += length;
  }
  return most;
}

static void test_ascii(void **state) {
  (void)state;
  crd__text text =
      sample_draw(&crd__report_form_text, &sample,
                  (crd_report_options){ .size = sizeof(crd_report_options), .ascii = 1 });
  assert_int_equal(widest(text.bytes, true), 80);
  assert_non_null(strstr(text.bytes, "-0.375  #################|##########\n"));
  assert_non_null(strstr(text.bytes, "+0.500  ..............|\n"));
  crd__text_clear(&text);
}

/* Colours add escapes and change nothing else. */
static void test_colour(void **state) {
  (void)state;
  crd__text text =
      sample_draw(&crd__report_form_text, &sample,
                  (crd_report_options){ .size = sizeof(crd_report_options), .colour = 1 });
  assert_non_null(strstr(text.bytes, "\033[31m░")); /* overconfident: red */
  assert_non_null(strstr(text.bytes, "\033[36m█")); /* underconfident: cyan */
  size_t kept = 0;
  for (size_t i = 0; i < text.length; i++) {
    if (text.bytes[i] == '\033') i += strcspn(text.bytes + i, "m");
    else text.bytes[kept++] = text.bytes[i];
  }
  text.bytes[kept] = '\0';
  assert_string_equal(text.bytes, drawn);
  crd__text_clear(&text);
}

/* The ends of an interval have the decimals of the value; per cent and digits as requested. */
static void test_numbers(void **state) {
  (void)state;
  crd__text text = sample_draw(
      &crd__report_form_text, &sample_with_intervals,
      (crd_report_options){ .size = sizeof(crd_report_options), .digits = 2, .percent = 1 });
  assert_non_null(strstr(text.bytes, "  metric        value   95 % interval\n"
                                     "  accuracy (%)     75      50     100  ↑ share of"));
  assert_non_null(strstr(text.bytes, "  ece (%)          10       0      25  ↓ expected "));
  assert_non_null(strstr(text.bytes, "shows an ece of about 6.2 %."));
  crd__text_clear(&text);
}

static size_t lines(const char *text) {
  size_t count = 0;
  for (; *text; text++) count += *text == '\n';
  return count;
}

static void test_bins(void **state) {
  (void)state;
  static const size_t counts[] = { 0, 1, 100, 101 };
  static const size_t expected[] = { 1, 7, 106, 3 };
  crd_reliability_bin bins[101];
  for (size_t i = 0; i < 101; i++) {
    const double low = (double)i / 101, high = (double)(i + 1) / 101;
    bins[i] = (crd_reliability_bin){ .low = low,
                                     .high = high,
                                     .rows = i * 12345678901,
                                     .weight = 0.5,
                                     .confidence = high,
                                     .accuracy = low };
  }
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    const crd_result r = { .rows = 1, .bin_count = counts[i], .bins = bins };
    crd__text text = sample_draw(&crd__report_form_text, &r,
                                 (crd_report_options){ .size = sizeof(crd_report_options) });
    assert_int_equal(lines(text.bytes), expected[i]);
    assert_true(widest(text.bytes, false) <= 80);
    crd__text_clear(&text);
  }
}

static void test_heads(void **state) {
  (void)state;
  sample_expect(&crd__report_form_text,
                &(crd_result){ .name = "a\033b", .rows = 1, .input = CRD_INPUT_PAIRS },
                (crd_report_options){ .size = sizeof(crd_report_options) },
                "a?b\n1 row, confidences of the predicted class\n");
  sample_expect(&crd__report_form_text,
                &(crd_result){ .rows = 0,
                               .classes = 2,
                               .input = CRD_INPUT_PROBABILITIES,
                               .binary = CRD_BINARY_POS,
                               .weighted = 1 },
                (crd_report_options){ .size = sizeof(crd_report_options) },
                "0 rows, 2 classes, probabilities of class 1, weighted\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_bytes), cmocka_unit_test(test_ascii),   cmocka_unit_test(test_colour),
    cmocka_unit_test(test_bins),  cmocka_unit_test(test_numbers), cmocka_unit_test(test_heads)
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

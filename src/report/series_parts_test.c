/* series_parts_test.c -- a series in every form, byte for byte, and the ranks of its means. */
#include "report/series_parts.h"
#include "report/series_sample_test.h"

#include <string.h>

static crd__text draw(const crd__report_form *form, const crd_series_summary *s) {
  static crd_context *ctx;
  static const crd_report_options options = { .size = sizeof options, .ascii = 1 };
  crd__text text;
  if (!ctx) assert_int_equal(crd_context_create(NULL, &ctx), CRD_OK);
  crd__text_init(&text, &ctx->alloc);
  form->series(s, &options, &text);
  assert_false(text.failed);
  return text;
}

static void expect(const crd__report_form *form, const char *expected) {
  crd__text text = draw(form, &series);
  assert_string_equal(text.bytes, expected);
  crd__text_clear(&text);
}

static void text_has_one_line_per_method(void **state) {
  (void)state;
  expect(&crd__report_form_text,
         "a.npz\n"
         "\n"
         "  method                accuracy                ece          seconds\n"
         "  identity      0.7500 +- 0.0100   0.1250 +- 0.0125   0.000 +- 0.000\n"
         "  a_<t>         0.7500 +- 0.0100   0.0312 +- 0.0012+  0.500 +- 0.125\n"
         "  bad           0.5000 +- 0.0200-  0.2500 +- 0.0625   1.500 +- 0.250\n"
         "  lost                    0.8000             0.0100            2.000\n"
         "\n"
         "  Mean and standard deviation over 2 runs (random?splits & more), each fitted on\n"
         "  60 rows and tested on 39 to 41 others. The splits overlap: the standard\n"
         "  deviation is not a standard error.\n"
         "  + significantly better, - worse than identity: p < 0.05 in the corrected\n"
         "  resampled t-test of Nadeau and Bengio (2003), corrected for 3 methods.\n"
         "  a_<t> learns a temperature of 2.000 +- 0.250.\n"
         "  a_<t> did not converge in 1 of 2 runs\n"
         "  lost failed in 1 of 2 runs: no <features>\n"
         "\n"
         "The verdict recommends a_<t> in 2 of 2 runs.\n"
         "\n"
         "  note: the scores look like ? logits?\n");
}

static void latex_marks_the_best(void **state) {
  (void)state;
  expect(
      &crd__report_form_latex,
      "% Mean and standard deviation over 2 runs (random?splits & more), each fitted on 60 rows "
      "and tested on 39 to 41 others. The splits overlap: the standard deviation is not a standard "
      "error.\n"
      "% Bold: the best mean of its column; underlined: the second.\n"
      "% The verdict recommends a_<t> in 2 of 2 runs.\n"
      "% \\usepackage{booktabs}\n"
      "\\begin{tabular}{lrr}\n"
      "\\toprule\n"
      "Method & accuracy $\\uparrow$ & ece $\\downarrow$ \\\\\n"
      "\\midrule\n"
      "identity & $\\mathbf{0.7500} \\pm 0.0100$ & $\\underline{0.1250} \\pm 0.0125$ \\\\\n"
      "a\\_\\textless{}t\\textgreater{} & $\\mathbf{0.7500} \\pm 0.0100$ & $\\mathbf{0.0312} \\pm "
      "0.0012$ \\\\\n"
      "bad & $\\underline{0.5000} \\pm 0.0200$ & $0.2500 \\pm 0.0625$ \\\\\n"
      "lost (failed in 1 of 2) & $0.8000$ & $0.0100$ \\\\\n"
      "\\bottomrule\n"
      "\\end{tabular}\n");
}

static void markdown_marks_the_best(void **state) {
  (void)state;
  expect(&crd__report_form_markdown,
         "| method | accuracy \xe2\x86\x91 | ece \xe2\x86\x93 | seconds |\n"
         "|:--|--:|--:|--:|\n"
         "| identity | **0.7500** \xc2\xb1 0.0100 | <ins>0.1250</ins> \xc2\xb1 0.0125 | 0.000 "
         "\xc2\xb1 0.000 |\n"
         "| a\\_\\<t\\> | **0.7500** \xc2\xb1 0.0100 | **0.0312** \xc2\xb1 0.0012 | 0.500 \xc2\xb1 "
         "0.125 |\n"
         "| bad | <ins>0.5000</ins> \xc2\xb1 0.0200 | 0.2500 \xc2\xb1 0.0625 | 1.500 \xc2\xb1 "
         "0.250 |\n"
         "| lost (failed in 1 of 2) | 0.8000 | 0.0100 | 2.000 |\n"
         "\n"
         "Mean and standard deviation over 2 runs (random?splits & more), each fitted on 60 rows "
         "and tested on 39 to 41 others. The splits overlap: the standard deviation is not a "
         "standard error. Bold: the best mean of its column; underlined: the second.\n"
         "The verdict recommends a_<t> in 2 of 2 runs.\n");
}

static void csv_has_everything(void **state) {
  (void)state;
  expect(&crd__report_form_csv,
         "method,metric,runs,mean,std,difference,difference_std,p,difference_temperature,"
         "difference_temperature_std,p_temperature,chosen,failures,unconverged\n"
         "\"identity\",accuracy,2,0.75,0.01,,,,,,,0,0,0\n"
         "\"identity\",ece,2,0.125,0.0125,,,,,,,0,0,0\n"
         "\"identity\",seconds,2,0,0,,,,,,,0,0,0\n"
         "\"a_<t>\",accuracy,2,0.75,0.01,0,0,1,,,,2,0,1\n"
         "\"a_<t>\",ece,2,0.03125,0.00125,-0.09375,0.01125,0.03125,,,,2,0,1\n"
         "\"a_<t>\",seconds,2,0.5,0.125,,,,,,,2,0,1\n"
         "\"a_<t>\",temperature,2,2,0.25,,,,,,,2,0,1\n"
         "\"bad\",accuracy,2,0.5,0.02,-0.25,0.01,3e-05,,,,0,0,0\n"
         "\"bad\",ece,2,0.25,0.0625,0.125,0.05,0.25,,,,0,0,0\n"
         "\"bad\",seconds,2,1.5,0.25,,,,,,,0,0,0\n"
         "\"lost\",accuracy,1,0.8,,0.06,,,,,,0,1,0\n"
         "\"lost\",ece,1,0.01,,-0.1,,,,,,0,1,0\n"
         "\"lost\",seconds,1,2,,,,,,,,0,1,0\n");
}

/* The schema is tested by tests/schema/run. */
static void json_has_everything(void **state) {
  static const char *const parts[] = {
    "{\n  \"credence\": \"series\",\n  \"version\": 1,\n  \"calibrate\": \"a.npz\",",
    "\"runs\": 2,\n  \"caption\": \"random\\nsplits & more\",\n"
    "  \"difference_test\": \"corrected-resampled-t\",\n"
    "  \"calibrate_rows\": {\"min\": 60, \"max\": 60},\n  \"n\": {\"min\": 39, \"max\": 41},",
    "\"name\": \"a_<t>\",\n      \"chosen\": 2,\n      \"failures\": 0,\n      \"unconverged\": 1,",
    "\"temperature\": {\"runs\": 2, \"mean\": 2, \"std\": 0.25, \"values\": [1.75, 2.25]}",
    "\"ece\": {\"runs\": 1, \"mean\": 0.01, \"std\": null, \"values\": [0.01, null]}",
    "\"failures\": 1,\n      \"failure\": \"no <features>\",",
    "\"against_identity\": {\n"
    "        \"accuracy\": {\"runs\": 2, \"mean\": 0, \"std\": 0, \"p\": 1},\n"
    "        \"ece\": {\"runs\": 2, \"mean\": -0.09375, \"std\": 0.01125, \"p\": 0.03125}",
  };
  (void)state;
  crd__text text = draw(&crd__report_form_json, &series);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (!strstr(text.bytes, parts[i])) fail_msg("no %s in %s", parts[i], text.bytes);
  crd__text_clear(&text);
}

/* Long tables are continued below. */
static void wide_series_are_folded(void **state) {
  (void)state;
  const crd_metric_info *metrics[4];
  crd_series_value values[4];
  crd_series_candidate one = { .name = "identity", .values = values };
  const crd_series_summary s = { .runs = 1,
                                 .metric_count = 4,
                                 .metrics = metrics,
                                 .count = 1,
                                 .candidates = &one,
                                 .test_name = "" };
  static const double value[] = { 0.25 };
  for (size_t m = 0; m < 4; m++) {
    metrics[m] = &sample_metrics[0];
    values[m] = (crd_series_value){ 1, 0.25, 0.125, value };
  }
  one.seconds = values[0];
  crd__text text = draw(&crd__report_form_text, &s);
  size_t tables = 0, longest = 0;
  for (const char *line = text.bytes; *line; line += strcspn(line, "\n") + 1) {
    const size_t length = strcspn(line, "\n");
    tables += strncmp(line, "  method", 8) == 0;
    longest = length > longest ? length : longest;
    assert_true(length == 0 || line[length - 1] != ' ');
  }
  assert_int_equal(tables, 2);
  assert_true(longest <= 80);
  crd__text_clear(&text);
}

/* Means that look equal share a rank; equal columns, and seconds, have none. */
static void ranks_are_those_of_shown_means(void **state) {
  (void)state;
  static const double means[][4] = { { 0.1, 0.2, 0.20001, 0.3 },
                                     { 0.1, 0.1, 0.1, 0.1 },
                                     { 0.4, 0.3, 0.2, 0.2 } };
  static const crd_direction directions[] = { CRD_LOWER_IS_BETTER, CRD_LOWER_IS_BETTER,
                                              CRD_HIGHER_IS_BETTER };
  static const crd__report_rank ranks[][4] = {
    { CRD__RANK_BEST, CRD__RANK_SECOND, CRD__RANK_SECOND, CRD__RANK_OTHER },
    { CRD__RANK_OTHER, CRD__RANK_OTHER, CRD__RANK_OTHER, CRD__RANK_OTHER },
    { CRD__RANK_BEST, CRD__RANK_SECOND, CRD__RANK_OTHER, CRD__RANK_OTHER },
  };
  for (size_t k = 0; k < 3; k++) {
    const crd_metric_info metric = { .name = "m", .direction = directions[k] };
    const crd_metric_info *const metrics[] = { &metric };
    crd_series_value values[4];
    crd_series_candidate candidates[4];
    for (size_t i = 0; i < 4; i++) {
      values[i] = (crd_series_value){ .runs = 3, .mean = means[k][i] };
      candidates[i] = (crd_series_candidate){ .values = &values[i], .seconds = values[i] };
    }
    const crd_series_summary s = {
      .runs = 3, .metric_count = 1, .metrics = metrics, .count = 4, .candidates = candidates
    };
    for (size_t i = 0; i < 4; i++) {
      assert_int_equal(crd__report_series_rank_of(&s, i, 0), ranks[k][i]);
      assert_int_equal(crd__report_series_rank_of(&s, i, 1), CRD__RANK_OTHER);
    }
  }
}

/* Small means get more decimals, for all methods alike. */
static void small_means_have_digits(void **state) {
  (void)state;
  static const struct {
    double mean;
    const char *text;
  } table[] = {
    { 0.5, "0.5000" }, { 0.0012, "0.0012" }, { 0.0009, "0.00090" }, { 1e-7, "0.000000" }
  };
  for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
    const crd_metric_info *const metrics[] = { &sample_metrics[1] };
    const crd_series_value value = { .runs = 1, .mean = table[k].mean, .std = (double)NAN };
    const crd_series_candidate one = { .values = &value, .seconds = value };
    const crd_series_summary s = {
      .runs = 1, .metric_count = 1, .metrics = metrics, .count = 1, .candidates = &one
    };
    assert_string_equal(crd__report_series_cell_format(&s, 0, 0).mean, table[k].text);
    assert_false(crd__report_series_cell_format(&s, 0, 0).has_std);
  }
}

/* Independent runs have another test, and nothing overlaps. */
static void sentences_follow_the_kind(void **state) {
  (void)state;
  crd_series_summary s = series;
  s.kind = CRD_SERIES_INDEPENDENT;
  s.caption = NULL;
  s.folds = 5;
  crd__text text = draw(&crd__report_form_text, &s);
  assert_non_null(
      strstr(text.bytes, "over 2 runs, each of 39 to 41 rows,\n  cross-validated in 5"));
  assert_non_null(strstr(text.bytes, "< 0.05 in the paired"));
  assert_null(strstr(text.bytes, "overlap"));
  crd__text_clear(&text);
}

static const crd_series_value same[] = { OF(0.75, 0, 0.75, 0.75), OF(0.125, 0, NO, NO) };

/* Splits of groups of different sizes do not depend on the seed. */
static void equal_runs_are_named(void **state) {
  (void)state;
  crd_series_summary s = series;
  const crd_series_candidate one = { .name = "identity", .values = same, .seconds = same[0] };
  s.candidates = &one;
  s.count = 1;
  crd__text text = draw(&crd__report_form_markdown, &s);
  assert_non_null(strstr(text.bytes, "All runs have the same rows: few rows, or groups"));
  assert_null(strstr(text.bytes, "overlap"));
  crd__text_clear(&text);
}

static void empty_series_are_refused(void **state) {
  (void)state;
  crd_context *ctx = NULL;
  const crd_series_summary none = { 0 };
  assert_int_equal(crd_context_create(NULL, &ctx), CRD_OK);
  assert_int_equal(crd_series_write(ctx, &none, "text", NULL, NULL), CRD_EUSAGE);
  assert_non_null(strstr(crd_context_message(ctx), "without runs"));
  assert_int_equal(crd_series_write(ctx, &series, "tex", NULL, NULL), CRD_EUSAGE);
  assert_non_null(strstr(crd_context_message(ctx), "unknown form"));
  crd_context_destroy(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(text_has_one_line_per_method),
    cmocka_unit_test(latex_marks_the_best),
    cmocka_unit_test(markdown_marks_the_best),
    cmocka_unit_test(csv_has_everything),
    cmocka_unit_test(json_has_everything),
    cmocka_unit_test(wide_series_are_folded),
    cmocka_unit_test(ranks_are_those_of_shown_means),
    cmocka_unit_test(small_means_have_digits),
    cmocka_unit_test(sentences_follow_the_kind),
    cmocka_unit_test(equal_runs_are_named),
    cmocka_unit_test(empty_series_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
